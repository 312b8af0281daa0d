// Command quickstart is a controller for a custom resource, with a demonstration of its
// work.
//
//	go run ./examples/quickstart
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/examples/internal/demo"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

//go:embed crd.yaml
var crd []byte

//go:embed rbac.yaml
var rbac []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run runs the demonstration.
func run(ctx context.Context, args []string, out io.Writer) error {
	var flags cluster.Flags
	set := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	if err := flags.Parse(set, "quickstart runs a controller and makes changes for it to reconcile.", args, out); err != nil {
		return err
	}
	began := time.Now()
	c, err := cluster.Open(ctx, flags, cluster.Options{CRD: crd, RBAC: rbac, Out: out})
	if err != nil {
		return err
	}
	defer c.Close()

	output := demo.NewOutput(out)
	greetings := rest.NewResource[*Greeting](c.Client, greetingInfo).Namespace(c.Namespace)
	factory := informer.NewFactory(informer.FactoryOptions{})
	cache := informer.For(factory, greetings, informer.Options[*Greeting]{})
	if _, err := cache.AddEventHandler(newHandler(output), informer.HandlerOptions{}); err != nil {
		return err
	}
	greeter := newController(greetings, cache, output)

	// A real program would now call controller.Run, which returns when ctx ends. Here
	// ctx ends with the demonstration.
	running, end := context.WithCancelCause(ctx)
	ended := make(chan error, 1)
	go func() {
		err := controller.Run(running, controller.RunOptions{Factory: factory}, greeter)
		end(err)
		ended <- err
	}()
	err = runDemo(running, output, greetings, cache)
	end(nil)
	if err := errors.Join(err, <-ended); err != nil {
		return err
	}
	s := greeter.State()
	fmt.Fprintf(out, "\n%d reconciles, %d errors, %v.\n", s.Reconciles, s.Errors, time.Since(began).Round(time.Millisecond))
	return nil
}
