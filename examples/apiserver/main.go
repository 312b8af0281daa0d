// Command apiserver serves an apitest server on a port: a Kubernetes API for
// kubectl, curl and programs, in a process that starts at once and keeps nothing
// after it ends.
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
	set.StringVar(&f.address, "address", "127.0.0.1:0", "`host:port` to listen on; port 0 selects a free port")
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `file` to write; default: a temporary file")
	set.BoolVar(&f.plain, "plain", false, "use HTTP/1.1 without TLS, so that curl -v and tcpdump show the requests")
	set.StringVar(&f.token, "token", "", "required bearer `token`; default: none is required")
	set.StringVar(&f.crds, "crds", "", "`directory` of YAML or JSON files with CustomResourceDefinitions to serve")
	set.BoolVar(&f.bare, "bare", false, "start without objects")
	set.Usage = func() {
		fmt.Fprint(out, "apiserver serves a Kubernetes API in memory until it is interrupted.\n\n\tapiserver [flags]\n\n")
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
	options := apitest.Options{Address: f.address, PlainHTTP: f.plain}
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
	printCommands(out, srv, f)
	<-ctx.Done()
	fmt.Fprintf(out, "\n%d requests; all objects are discarded.\n", len(srv.Requests(apitest.Match{})))
	return nil
}

// start converts the panic of a server that cannot listen, which is meant for
// tests, to an error.
func start(options apitest.Options) (srv *apitest.Server, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%v", value)
		}
	}()
	return apitest.NewServer(options), nil
}

// printCommands prints the address of the server, and commands to try.
func printCommands(out io.Writer, srv *apitest.Server, f flags) {
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
