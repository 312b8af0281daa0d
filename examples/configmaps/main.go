// Command configmaps is a controller whose objects name a ConfigMap that others manage,
// with a demonstration of its work.
//
//	go run ./examples/configmaps
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
		fmt.Fprintln(os.Stderr, "configmaps:", err)
		os.Exit(1)
	}
}

// run runs the demonstration.
func run(ctx context.Context, args []string, out io.Writer) error {
	var flags cluster.Flags
	set := flag.NewFlagSet("configmaps", flag.ContinueOnError)
	if err := flags.Parse(set, "configmaps runs a controller and makes changes for it to reconcile.", args, out); err != nil {
		return err
	}
	began := time.Now()
	c, err := cluster.Open(ctx, flags, cluster.Options{CRD: crd, RBAC: rbac, Out: out})
	if err != nil {
		return err
	}
	defer c.Close()

	output := demo.NewOutput(out)
	factory := informer.NewFactory(informer.FactoryOptions{})
	deployer := newController(c.Client, factory, c.Namespace, output)

	// A real program would now call controller.Run, which returns when ctx ends. Here
	// ctx ends with the demonstration.
	running, end := context.WithCancelCause(ctx)
	ended := make(chan error, 1)
	go func() {
		err := controller.Run(running, controller.RunOptions{Factory: factory}, deployer)
		end(err)
		ended <- err
	}()
	err = runDemo(running, output, c.Client, c.Namespace)
	end(nil)
	if err := errors.Join(err, <-ended); err != nil {
		return err
	}
	s := deployer.State()
	fmt.Fprintf(out, "\n%d reconciles, %d errors, %v.\n", s.Reconciles, s.Errors, time.Since(began).Round(time.Millisecond))
	return nil
}
