// Command rewriting-proxy is a proxy before an API server that changes objects on their
// way to any client, in lists and in watches, while they pass. In this example, it
// replaces the endpoints of services by one router.
//
//	go run ./examples/rewriting-proxy
//	go run ./examples/rewriting-proxy -kubeconfig ~/.kube/config -route 10.0.0.1
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/rest"
)

//go:embed rbac.yaml
var rbac []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "rewriting-proxy:", err)
		os.Exit(1)
	}
}

// flags of the program.
type flags struct {
	cluster           cluster.Flags
	address           string
	route             netip.Addr
	clients           bool
	certFile, keyFile string
}

func parse(args []string, out io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("rewriting-proxy", flag.ContinueOnError)
	set.StringVar(&f.address, "address", "127.0.0.1:8002", "`host:port` to listen on; port 0 selects a free port")
	set.TextVar(&f.route, "route", netip.MustParseAddr("192.0.2.1"), "`address` of the router that replaces all endpoints")
	set.BoolVar(&f.clients, "clients-credentials", false, "send requests with the token of the client instead of the credentials of the proxy")
	set.StringVar(&f.certFile, "cert", "", "PEM `file` with the certificate for TLS and HTTP/2")
	set.StringVar(&f.keyFile, "key", "", "PEM `file` with the key of the certificate")
	if err := f.cluster.Parse(set, "rewriting-proxy is a proxy in front of an API server that changes objects in responses.", args, out); err != nil {
		return f, err
	}
	switch {
	case (f.certFile == "") != (f.keyFile == ""):
		return f, errors.New("-cert and -key must be used together")
	case loopback(f.address):
	case !f.clients:
		return f, fmt.Errorf("-address %s is not a loopback address: every client that reaches it would have the proxy's rights; use -clients-credentials", f.address)
	case f.certFile == "":
		return f, fmt.Errorf("-address %s is not a loopback address: tokens would be sent unencrypted; use -cert and -key", f.address)
	}
	return f, nil
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	f, err := parse(args, out)
	if err != nil {
		return err
	}
	upstream, err := cluster.Open(ctx, f.cluster, cluster.Options{RBAC: rbac, Out: out})
	if err != nil {
		return err
	}
	defer upstream.Close()
	if upstream.Embedded != nil {
		fill(upstream.Embedded)
	}
	client := upstream.Client
	if f.clients {
		if client, err = rest.New(anonymous(upstream.Config)); err != nil {
			return err
		}
		defer client.Close()
	}
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		return err
	}
	scheme := "http"
	if f.certFile != "" {
		scheme = "https"
	}
	printCommands(out, upstream, scheme+"://"+listener.Addr().String())
	logger := log.New(out, "", 0)
	return serve(ctx, listener, f, logger, newProxy(client.RoundTripper(), routerRules(f.route), f.clients, logger))
}

// anonymous returns a config for the same server without credentials.
func anonymous(c *rest.Config) *rest.Config {
	return &rest.Config{
		Host: c.Host, Dial: c.Dial, Proxy: c.Proxy, DisableCompression: c.DisableCompression,
		TLS: rest.TLSConfig{Insecure: c.TLS.Insecure, ServerName: c.TLS.ServerName, CAFile: c.TLS.CAFile, CAData: c.TLS.CAData},
	}
}

// serve returns when ctx has ended and all responses have been aborted or sent.
func serve(ctx context.Context, listener net.Listener, f flags, logger *log.Logger, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ErrorLog: logger, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends watches
		Protocols:   new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	closed := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err := server.Shutdown(bounded)
		if err != nil {
			err = fmt.Errorf("stop: %w", errors.Join(err, server.Close()))
		}
		closed <- err
	})()
	var err error
	if f.certFile != "" {
		err = server.ServeTLS(listener, f.certFile, f.keyFile)
	} else {
		err = server.Serve(listener)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, listener.Close())
	}
	return <-closed
}

// printCommands prints the address of the proxy, and commands to try.
func printCommands(out io.Writer, upstream *cluster.Cluster, url string) {
	fmt.Fprintf(out, "rewriting at %s, until Ctrl-C\n\n", url)
	const web = "/api/v1/namespaces/default/endpoints/web"
	if upstream.Embedded != nil {
		fmt.Fprintf(out, "  curl -k %s%s\n  curl %s%s\n", upstream.Config.Host, web, url, web)
	}
	fmt.Fprintf(out, "  curl -N '%s/api/v1/endpoints?watch=1'\n", url)
	fmt.Fprintf(out, "  kubectl --server %s get endpoints -A -o yaml\n\n", url)
}
