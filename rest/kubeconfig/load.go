package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/thinformer/thinformer/rest"
)

// Options select the context and override its parts. The zero value selects the
// context that kubectl uses by default.
type Options struct {
	// Path is the file to read; it must exist. "" reads the files that
	// $KUBECONFIG lists, or ~/.kube/config.
	Path string
	// Context is the name of the context. "" selects the current-context.
	Context string
	// Cluster, User and Namespace override those of the context if not empty.
	Cluster, User, Namespace string
	// Server overrides the address of the cluster. It also clears the
	// tls-server-name of the cluster, which belongs to the other address. Without
	// a kubeconfig, Server is used without credentials.
	Server string
}

// Result is the result of Load and FromBytes.
type Result struct {
	// Config is the configuration for rest.New.
	Config *rest.Config
	// Namespace is the default namespace. It is never empty.
	Namespace string
	// Context, Cluster and User are the names of the entries used. A name is ""
	// if there is no such entry.
	Context, Cluster, User string
	// InCluster reports whether Config is the in-cluster config of the pod.
	InCluster bool
}

// Load reads the kubeconfig files. If they have no entry and the Options select
// nothing, it returns the in-cluster config of the pod.
func Load(options Options) (*Result, error) {
	return load(options, environment{
		getenv:        os.Getenv,
		home:          os.UserHomeDir,
		inCluster:     rest.InCluster,
		namespaceFile: "/var/run/secrets/kubernetes.io/serviceaccount/namespace",
	})
}

// bytesOrigin replaces the path of a file in error messages.
const bytesOrigin = "(from bytes)"

// FromBytes parses one kubeconfig, for example from a Secret. It does not use the
// environment: if neither the Options nor the context has a namespace, the
// namespace is "default". Relative paths are relative to the working directory.
// Options.Path must be empty.
func FromBytes(data []byte, options Options) (*Result, error) {
	if options.Path != "" {
		return nil, errors.New("load a kubeconfig from bytes: Options.Path must be empty")
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("parse the kubeconfig %s: it has more than %d bytes", bytesOrigin, maxSize)
	}
	parsed, err := parse(data, bytesOrigin, "")
	if err != nil {
		return nil, err
	}
	merged := merge([]*file{parsed})
	loaded, err := merged.newConfig(options)
	if err != nil {
		return nil, fmt.Errorf("use the kubeconfig %s: %w", bytesOrigin, err)
	}
	loaded.Namespace = cmp.Or(loaded.Namespace, "default")
	return loaded, nil
}

// environment provides the parts of the process environment that Load uses.
type environment struct {
	getenv        func(string) string
	home          func() (string, error)
	inCluster     func() (*rest.Config, error)
	namespaceFile string
}

func load(options Options, env environment) (*Result, error) {
	files, tried, err := env.readFiles(options.Path)
	if err != nil {
		return nil, err
	}
	merged := merge(files)
	explicit := options.Path != "" || options.Context != "" || options.Cluster != "" || options.User != "" || options.Server != ""
	var loaded *Result
	if merged.empty() && !explicit {
		loaded, err = env.loadInCluster(tried)
	} else if loaded, err = merged.newConfig(options); err != nil {
		err = fmt.Errorf("use the kubeconfig (%s): %w", strings.Join(tried, ", "), err)
	}
	if err != nil {
		return nil, err
	}
	loaded.Namespace = cmp.Or(options.Namespace, loaded.Namespace, env.namespace())
	return loaded, nil
}

// loadInCluster returns the in-cluster config.
func (e environment) loadInCluster(tried []string) (*Result, error) {
	config, err := e.inCluster()
	if err != nil {
		return nil, fmt.Errorf("find a cluster: no kubeconfig (%s) and no in-cluster config: %w", strings.Join(tried, ", "), err)
	}
	return &Result{Config: config, InCluster: true}, nil
}

// namespace returns the namespace of the process: $POD_NAMESPACE, that of the
// service account, or "default".
func (e environment) namespace() string {
	if namespace := e.getenv("POD_NAMESPACE"); namespace != "" {
		return namespace
	}
	// The file does not exist outside a cluster.
	text, _ := os.ReadFile(e.namespaceFile)
	return cmp.Or(strings.TrimSpace(string(text)), "default")
}
