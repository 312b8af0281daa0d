// Package cluster is what the examples have in common: a server to talk to.
//
//	no flags                         an API server in this process, which is forgotten at the end
//	-kubeconfig, -context            the server that kubectl would talk to
//	-in-cluster                      the server of the pod that the program runs in
//	one of these and -install        first applies what the example needs there
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

// Flags choose the server. The zero value is one in this process.
type Flags struct {
	Kubeconfig, Context string
	InCluster, Install  bool
}

// Register defines the flags in a set.
func (f *Flags) Register(set *flag.FlagSet) {
	set.StringVar(&f.Kubeconfig, "kubeconfig", "", "kubeconfig `file` of the server to talk to; without it, and without -context and -in-cluster, it is one in this process")
	set.StringVar(&f.Context, "context", "", "`name` of the context of the kubeconfig, or of those that kubectl reads")
	set.BoolVar(&f.InCluster, "in-cluster", false, "talk to the server of the pod that this runs in, as its service account")
	set.BoolVar(&f.Install, "install", false, "first apply to that server what this example needs there (definitions of resources, roles)")
}

// Parse defines the flags in a set that may have others, and parses args, which
// may be nothing but flags. With -h it says what about is, and what the flags are,
// and returns flag.ErrHelp.
func (f *Flags) Parse(set *flag.FlagSet, about string, args []string, out io.Writer) error {
	f.Register(set)
	set.SetOutput(io.Discard) // an error is told by whoever gets it, and once
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
		return errors.New("-in-cluster goes without -kubeconfig and -context: choose one server")
	case f.Install && f.embedded():
		return errors.New("-install is for a real server: say which with -kubeconfig, -context or -in-cluster")
	}
	return nil
}

// Options are what an example needs of its server.
type Options struct {
	// CRD and RBAC are the files that go by these names, as YAML. The server in
	// this process has the CRD from the start, and no RBAC.
	CRD, RBAC []byte
	// Out is told which server it is, and what is installed. Default: nobody.
	Out io.Writer
	// Server are the options of the one in this process.
	Server apitest.Options
}

// Cluster is a server to talk to.
type Cluster struct {
	Client *rest.Client
	Config *rest.Config
	// Namespace to work in. It is never "".
	Namespace string
	// Embedded is the server in this process, nil if it is a real one.
	Embedded *apitest.Server
}

// Open connects to the server that the flags choose, and sees to it that what
// the CRD defines is served there.
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

// connect says nothing to the server yet.
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
		fmt.Fprintln(o.Out, "server: one in this process; -kubeconfig takes a real one")
		return c.install(ctx, o.CRD, io.Discard)
	}
	version, err := discovery.New(c.Client).ServerVersion(ctx)
	if err != nil {
		return fmt.Errorf("ask the server at %s who it is: %w", c.Config.Host, err)
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

// Close ends all connections, and the server in this process.
func (c *Cluster) Close() {
	if c.Client != nil {
		c.Client.Close()
	}
	if c.Embedded != nil {
		c.Embedded.Close()
	}
}

// embed turns the panic of a server that cannot listen, which is meant for
// tests, into an error.
func embed(options apitest.Options) (srv *apitest.Server, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("serve in this process: %v", what)
		}
	}()
	return apitest.NewServer(options), nil
}

// podNamespace is the namespace that a pod's service account is of.
func podNamespace() string {
	mounted, _ := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	return cmp.Or(os.Getenv("POD_NAMESPACE"), strings.TrimSpace(string(mounted)), "default")
}
