// Package cluster connects the examples to a server.
//
//	no flags                         an API server in this process, which keeps nothing
//	-kubeconfig, -context            the server that kubectl would use
//	-in-cluster                      the server of the pod that the program runs in
//	one of these and -install        first applies the objects that the example needs
package cluster

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
	"github.com/thinformer/thinformer/rest/kubeconfig"
)

// Flags select the server. The zero value selects one in this process.
type Flags struct {
	Kubeconfig, Context string
	InCluster, Install  bool
}

// Register defines the flags in a set.
func (f *Flags) Register(set *flag.FlagSet) {
	set.StringVar(&f.Kubeconfig, "kubeconfig", "", "kubeconfig `file` of a real server; without it, -context and -in-cluster, the server is embedded in this process")
	set.StringVar(&f.Context, "context", "", "`name` of the context in the kubeconfig")
	set.BoolVar(&f.InCluster, "in-cluster", false, "use the server of the pod in which the program runs, with its service account")
	set.BoolVar(&f.Install, "install", false, "first apply the definitions and roles that the example needs")
}

// Parse defines the flags in a set that may have others, and parses args, which must
// consist of flags. With -h it prints about and the flags, and returns flag.ErrHelp.
func (f *Flags) Parse(set *flag.FlagSet, about string, args []string, out io.Writer) error {
	f.Register(set)
	set.SetOutput(io.Discard) // the caller reports the error
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(out, "%s\n\n\t%s [flags]\n\n", about, set.Name())
		set.SetOutput(out)
		set.PrintDefaults()
		return err
	case err != nil:
		return fmt.Errorf("%w: see -h", err)
	case set.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: see -h", set.Arg(0))
	}
	return nil
}

func (f *Flags) embedded() bool { return f.Kubeconfig == "" && f.Context == "" && !f.InCluster }

func (f *Flags) check() error {
	switch {
	case f.InCluster && (f.Kubeconfig != "" || f.Context != ""):
		return errors.New("-in-cluster cannot be used with -kubeconfig or -context: choose one server")
	case f.Install && f.embedded():
		return errors.New("-install needs a real server: select one with -kubeconfig, -context or -in-cluster")
	}
	return nil
}

// Options are the requirements of an example.
type Options struct {
	// CRD and RBAC are the contents of crd.yaml and rbac.yaml. The embedded server has
	// the CRD from the start, and no RBAC.
	CRD, RBAC []byte
	// Out receives messages about the server and the installed objects. The default is
	// io.Discard.
	Out io.Writer
	// Server are the options of the embedded server.
	Server apitest.Options
}

// Cluster is a connection to a server.
type Cluster struct {
	Client *rest.Client
	Config *rest.Config
	// Namespace to work in. It is never "".
	Namespace string
	// Embedded is the server in this process, nil if the server is a real one.
	Embedded *apitest.Server
}

// Open connects to the server that the flags select, and checks that the resources of
// the CRD are served there.
func Open(ctx context.Context, f Flags, o Options) (*Cluster, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	c, err := connect(f, o.Server)
	if err != nil {
		return nil, err
	}
	if err := c.prepare(ctx, f, o); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// connect sends no request yet.
func connect(f Flags, options apitest.Options) (c *Cluster, err error) {
	c = new(Cluster)
	switch {
	case f.InCluster:
		if c.Config, err = rest.InCluster(); err != nil {
			return nil, fmt.Errorf("-in-cluster: %w", err)
		}
		c.Namespace = podNamespace()
	case !f.embedded():
		loaded, err := kubeconfig.Load(kubeconfig.Options{Path: f.Kubeconfig, Context: f.Context})
		if err != nil {
			return nil, err
		}
		c.Config, c.Namespace = loaded.Config, loaded.Namespace
	default:
		if c.Embedded, err = embed(options); err != nil {
			return nil, err
		}
		c.Config, c.Namespace = c.Embedded.Config(), "default"
	}
	if c.Client, err = rest.New(c.Config); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) prepare(ctx context.Context, f Flags, o Options) error {
	if c.Embedded != nil {
		fmt.Fprintln(o.Out, "server: embedded in this process; -kubeconfig selects a real one")
		return c.install(ctx, o.CRD, io.Discard)
	}
	version, err := discovery.NewClient(c.Client).ServerVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the server at %s: %w", c.Config.Host, err)
	}
	fmt.Fprintf(o.Out, "server: %s, Kubernetes %s, namespace %s\n", c.Config.Host, version.GitVersion, c.Namespace)
	if !f.Install {
		return c.served(ctx, o.CRD)
	}
	if err := c.install(ctx, o.CRD, o.Out); err != nil {
		return err
	}
	return c.install(ctx, o.RBAC, o.Out)
}

// Close closes all connections and the embedded server.
func (c *Cluster) Close() {
	if c.Client != nil {
		c.Client.Close()
	}
	if c.Embedded != nil {
		c.Embedded.Close()
	}
}

// embed converts the panic of a server that cannot listen, which is meant for
// tests, to an error.
func embed(options apitest.Options) (srv *apitest.Server, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("start the embedded server: %v", value)
		}
	}()
	return apitest.NewServer(options), nil
}

// podNamespace returns the namespace of the pod's service account.
func podNamespace() string {
	mounted, _ := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	return cmp.Or(os.Getenv("POD_NAMESPACE"), strings.TrimSpace(string(mounted)), "default")
}
