package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/thinformer/thinformer/rest"
)

// Options choose among what is found. The zero value is what kubectl would
// take.
type Options struct {
	// Path is the one file to read, and must exist. "" reads the files that
	// $KUBECONFIG lists, or ~/.kube/config.
	Path string
	// Context to use; "" is the files' current-context.
	Context string
	// Cluster, User and Namespace take the place of those of the context; ""
	// leaves them.
	Cluster, User, Namespace string
	// Server takes the place of the cluster's address, and with it goes the
	// cluster's tls-server-name, which was that of the other address. Where
	// there is no kubeconfig it is used as it is, without credentials.
	Server string
}

// Loaded is what was found.
type Loaded struct {
	// Config is ready for rest.New.
	Config *rest.Config
	// Namespace to work in when nothing else says one. It is never "".
	Namespace string
	// Context, Cluster and User are the names of the entries used, each "" if
	// there was none.
	Context, Cluster, User string
	// InCluster is set when the config is that of the pod.
	InCluster bool
}

// Load reads the kubeconfig files, or asks the pod.
func Load(options Options) (*Loaded, error) {
	return load(options, environment{
		getenv:        os.Getenv,
		home:          os.UserHomeDir,
		inCluster:     rest.InCluster,
		namespaceFile: "/var/run/secrets/kubernetes.io/serviceaccount/namespace",
	})
}

// fromBytes stands in errors where the path of a file would.
const fromBytes = "(from bytes)"

// FromBytes takes a kubeconfig that is at hand, from a Secret perhaps, as the
// only one. The environment has no say: without one in the context the
// namespace is "default". Relative paths are relative to the working directory.
// Options.Path must be "".
func FromBytes(data []byte, options Options) (*Loaded, error) {
	if options.Path != "" {
		return nil, errors.New("load a kubeconfig from bytes: Options.Path is set as well")
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("parse the kubeconfig %s: it has more than %d bytes", fromBytes, maxSize)
	}
	read, err := parse(data, fromBytes, "")
	if err != nil {
		return nil, err
	}
	all := merge([]*file{read})
	loaded, err := all.use(options)
	if err != nil {
		return nil, fmt.Errorf("use the kubeconfig %s: %w", fromBytes, err)
	}
	loaded.Namespace = cmp.Or(loaded.Namespace, "default")
	return loaded, nil
}

// environment is what Load asks of the process it runs in.
type environment struct {
	getenv        func(string) string
	home          func() (string, error)
	inCluster     func() (*rest.Config, error)
	namespaceFile string
}

func load(options Options, env environment) (*Loaded, error) {
	files, tried, err := env.files(options.Path)
	if err != nil {
		return nil, err
	}
	all := merge(files)
	asked := options.Path != "" || options.Context != "" || options.Cluster != "" || options.User != "" || options.Server != ""
	var loaded *Loaded
	if all.empty() && !asked {
		loaded, err = env.pod(tried)
	} else if loaded, err = all.use(options); err != nil {
		err = fmt.Errorf("use the kubeconfig (%s): %w", strings.Join(tried, ", "), err)
	}
	if err != nil {
		return nil, err
	}
	loaded.Namespace = cmp.Or(options.Namespace, loaded.Namespace, env.namespace())
	return loaded, nil
}

// pod is the last resort.
func (e environment) pod(tried []string) (*Loaded, error) {
	config, err := e.inCluster()
	if err != nil {
		return nil, fmt.Errorf("find a cluster: no kubeconfig (%s), and none from the pod: %w", strings.Join(tried, ", "), err)
	}
	return &Loaded{Config: config, InCluster: true}, nil
}

// namespace is the one that the process lives in.
func (e environment) namespace() string {
	if namespace := e.getenv("POD_NAMESPACE"); namespace != "" {
		return namespace
	}
	// A process outside of a cluster has no such file.
	text, _ := os.ReadFile(e.namespaceFile)
	return cmp.Or(strings.TrimSpace(string(text)), "default")
}
