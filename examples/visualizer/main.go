// Command visualizer shows data on its way from the API server through an informer to a
// controller, live in a browser.
//
//	go run ./examples/visualizer
//	go run ./examples/visualizer -kubeconfig ~/.kube/config
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/thinformer/thinformer/examples/internal/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "visualizer:", err)
		os.Exit(1)
	}
}

// flags of the program.
type flags struct {
	cluster.Flags
	address     string
	objects     int
	write, text bool
}

// maxObjects is the largest number of initial objects.
const maxObjects = 10_000

func parse(args []string, out io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("visualizer", flag.ContinueOnError)
	set.StringVar(&f.address, "address", "127.0.0.1:8088", "`address` of the page; port 0 is a free port")
	set.IntVar(&f.objects, "objects", 12, "`number` of objects that the embedded server has from the start")
	set.BoolVar(&f.write, "write", false, "allow the program to create, change and delete config maps of a real server")
	set.BoolVar(&f.text, "text", false, "show the text of responses of a real server, which has the data of its config maps")
	if err := f.Parse(set, "visualizer shows an informer and a controller at work, on a page for a browser.", args, out); err != nil {
		return f, err
	}
	if f.objects < 0 || f.objects > maxObjects {
		return f, fmt.Errorf("-objects %d: it must be between 0 and %d", f.objects, maxObjects)
	}
	if (f.write || f.text) && f.Kubeconfig == "" && f.Context == "" && !f.InCluster {
		return f, errors.New("-write and -text are for a real server: use -kubeconfig to select one")
	}
	if _, _, err := net.SplitHostPort(f.address); err != nil {
		return f, fmt.Errorf("-address %q: it must be host:port", f.address)
	}
	return f, nil
}

// run serves the page until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	f, err := parse(args, out)
	if err != nil {
		return err
	}
	listener, err := listen(f.address)
	if err != nil {
		return err
	}
	defer listener.Close()
	p, err := newProgram(ctx, f, out)
	if err != nil {
		return err
	}
	defer p.Close()
	fmt.Fprintf(out, "page: http://%s/\n", listener.Addr())
	if !isLoopback(listener.Addr()) {
		fmt.Fprintln(out, "every host that reaches this address can see the page and use its controls")
	}
	fmt.Fprintln(out, "stop: Ctrl-C")
	return p.run(ctx, listener)
}

// listen converts the common errors to hints.
func listen(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("-address %s is in use: stop the other program, or choose another address, such as 127.0.0.1:0 for a free port", address)
	case err != nil:
		return nil, fmt.Errorf("-address %s: %w", address, err)
	}
	return listener, nil
}

func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
