// Command apiserver serves an apitest server on a port: a Kubernetes API for
// kubectl, curl and programs, in a process that starts at once and forgets all
// when it ends.
//
//	go run ./examples/apiserver
//	go run ./examples/apiserver -plain -address 127.0.0.1:8001
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/thinformer/thinformer/apitest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

// flags of the program.
type flags struct {
	address, kubeconfig, token, crds string
	plain, bare                      bool
}

func parse(args []string, out io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.address, "address", "127.0.0.1:0", "`host:port` to listen at; port 0 is a free one")
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "`file` to write a kubeconfig to; one in the temporary directory, removed at the end, if not given")
	set.BoolVar(&f.plain, "plain", false, "speak HTTP/1.1 without TLS, so that curl -v and tcpdump show what is said")
	set.StringVar(&f.token, "token", "", "bearer `token` to ask for; everybody is let in if not given")
	set.StringVar(&f.crds, "crds", "", "`directory` of YAML or JSON files with CustomResourceDefinitions to serve")
	set.BoolVar(&f.bare, "bare", false, "create no objects to begin with")
	set.Usage = func() {
		fmt.Fprint(out, "apiserver serves a Kubernetes API, kept in memory, until it is interrupted.\n\n\tapiserver [flags]\n\n")
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		return f, fmt.Errorf("unexpected argument %q: see -h", set.Arg(0))
	}
	return f, nil
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	f, err := parse(args, out)
	if err != nil {
		return err
	}
	options := apitest.Options{Address: f.address, Plain: f.plain}
	if f.token != "" {
		options.Tokens = map[string]apitest.User{f.token: {Name: "you", Groups: []string{"system:masters"}}}
	}
	srv, err := start(options)
	if err != nil {
		return err
	}
	defer srv.Close()
	if err := fill(ctx, srv, f); err != nil {
		return err
	}
	if f.kubeconfig == "" {
		dir, err := os.MkdirTemp("", "apiserver-")
		if err != nil {
			return fmt.Errorf("write a kubeconfig: %w", err)
		}
		defer os.RemoveAll(dir)
		f.kubeconfig = filepath.Join(dir, "kubeconfig")
	}
	if err := os.WriteFile(f.kubeconfig, kubeconfigOf(srv, f.token), 0o600); err != nil {
		return fmt.Errorf("write a kubeconfig: %w", err)
	}
	greet(out, srv, f)
	<-ctx.Done()
	fmt.Fprintf(out, "\n%d requests; everything is forgotten.\n", len(srv.Requests(apitest.Match{})))
	return nil
}

// start turns the panic of a server that cannot listen, which is meant for
// tests, into an error.
func start(options apitest.Options) (srv *apitest.Server, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("%v", what)
		}
	}()
	return apitest.NewServer(options), nil
}

// greet says where the server is, and what to try.
func greet(out io.Writer, srv *apitest.Server, f flags) {
	curl := "curl -N "
	if !f.plain {
		curl += "-k "
	}
	if f.token != "" {
		curl += "-H 'Authorization: Bearer " + f.token + "' "
	}
	fmt.Fprintf(out, `serving at %s, until Ctrl-C

  export KUBECONFIG=%s
  kubectl get configmaps -A -w

  %s%s/api/v1/watch/namespaces/kube-system/configmaps/coredns
`, srv.URL, f.kubeconfig, curl, srv.URL)
}
