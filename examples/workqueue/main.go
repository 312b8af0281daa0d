// Command workqueue is the controller that the documentation of client-go builds
// by hand: an informer, its indexer, a rate-limited queue, and workers.
//
//	go run ./examples/workqueue
//	go run ./examples/workqueue -kubeconfig ~/.kube/config
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

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/examples/internal/demo"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/workqueue"
)

//go:embed rbac.yaml
var rbac []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "workqueue:", err)
		os.Exit(1)
	}
}

// flags of the program.
type flags struct {
	cluster.Flags
	workers int
	fail    string
}

func parse(args []string, out io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("workqueue", flag.ContinueOnError)
	set.IntVar(&f.workers, "workers", 1, "`number` of workers")
	set.StringVar(&f.fail, "fail", "broken", "`name` of a pod whose sync fails, to show the retries")
	if err := f.Parse(set, "workqueue prints the pods in a namespace until it is interrupted.", args, out); err != nil {
		return f, err
	}
	if f.workers < 1 {
		return f, fmt.Errorf("-workers %d: at least one is required", f.workers)
	}
	if f.fail == "" || f.fail == "mypod" {
		return f, fmt.Errorf("-fail %q: use another name", f.fail)
	}
	return f, nil
}

// run runs until ctx ends, or, on the embedded server, until the demonstration is over.
func run(ctx context.Context, args []string, out io.Writer) error {
	f, err := parse(args, out)
	if err != nil {
		return err
	}
	c, err := cluster.Open(ctx, f.Flags, cluster.Options{RBAC: rbac, Out: out})
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Embedded == nil {
		return watch(ctx, c, f, out)
	}
	output := demo.NewOutput(out)
	ctx, stop := context.WithCancelCause(ctx)
	ended := make(chan error, 1)
	go func() {
		err := watch(ctx, c, f, output)
		stop(err)
		ended <- err
	}()
	err = runDemo(ctx, output, c, f.fail)
	stop(nil)
	return errors.Join(err, <-ended)
}

// watch runs the controller.
func watch(ctx context.Context, c *cluster.Cluster, f flags, out io.Writer) error {
	pods := rest.NewView[*Pod](c.Client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		Kind:                 "Pod",
		Namespaced:           true,
	}).Namespace(c.Namespace)
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	controller, err := NewController(queue, informer.New(pods, informer.Options[*Pod]{}), out, f.fail)
	if err != nil {
		return err
	}

	// Let's suppose that we knew about a pod "mypod" on our last run. If it does not
	// exist anymore, there is no event, so check it.
	queue.Add(c.Namespace + "/mypod")

	return controller.Run(ctx, f.workers)
}

// runDemo creates and deletes a pod on the embedded server.
func runDemo(ctx context.Context, output *demo.Output, c *cluster.Cluster, fails string) error {
	if err := output.Wait(ctx, "Pod default/mypod does not exist anymore"); err != nil {
		return err
	}
	pod := func(name string) *Pod {
		return &Pod{SlimMeta: rest.SlimMeta{Namespace: c.Namespace, Name: name}}
	}
	fmt.Fprintln(output, "-- pod mypod is created")
	apitest.Create(nil, c.Embedded, pod("mypod"))
	if err := output.Wait(ctx, "Sync/Add/Update for Pod mypod"); err != nil {
		return err
	}
	fmt.Fprintln(output, "-- pod mypod is deleted")
	apitest.Delete(nil, c.Embedded, pod("mypod"))
	if err := output.Wait(ctx, "Pod default/mypod does not exist anymore"); err != nil {
		return err
	}
	fmt.Fprintf(output, "-- pod %s is created; its sync fails\n", fails)
	apitest.Create(nil, c.Embedded, pod(fails))
	return output.Wait(ctx, "Dropping Pod default/"+fails+" out of the queue: configured to fail")
}
