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
	"github.com/thinformer/thinformer/examples/internal/diary"
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
	set.IntVar(&f.workers, "workers", 1, "`number` of pods that are worked on at the same time")
	set.StringVar(&f.fail, "fail", "broken", "`name` of a pod that cannot be synced, to see what happens then")
	if err := f.Parse(set, "workqueue tells of the pods in a namespace, until it is interrupted.", args, out); err != nil {
		return f, err
	}
	if f.workers < 1 {
		return f, fmt.Errorf("-workers %d: there has to be one at least", f.workers)
	}
	if f.fail == "" || f.fail == "mypod" {
		return f, fmt.Errorf("-fail %q: give the name of another pod", f.fail)
	}
	return f, nil
}

// run goes on until ctx ends, or on a server in this process until the story has
// been told.
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
	tale := diary.New(out)
	ctx, stop := context.WithCancelCause(ctx)
	ended := make(chan error, 1)
	go func() {
		err := watch(ctx, c, f, tale)
		stop(err)
		ended <- err
	}()
	err = tell(ctx, tale, c, f.fail)
	stop(nil)
	return errors.Join(err, <-ended)
}

// watch is what the program is about.
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

	// Let's suppose that we knew about a pod "mypod" on our last run. If it is not
	// there anymore, nobody will tell: so have a look.
	queue.Add(c.Namespace + "/mypod")

	return controller.Run(ctx, f.workers)
}

// tell has something happen on a server where nothing would.
func tell(ctx context.Context, tale *diary.Diary, c *cluster.Cluster, fails string) error {
	if err := tale.Wait(ctx, "Pod default/mypod does not exist anymore"); err != nil {
		return err
	}
	pod := func(name string) *Pod {
		return &Pod{SlimMeta: rest.SlimMeta{Namespace: c.Namespace, Name: name}}
	}
	fmt.Fprintln(tale, "-- pod mypod is created")
	apitest.Create(nil, c.Embedded, pod("mypod"))
	if err := tale.Wait(ctx, "Sync/Add/Update for Pod mypod"); err != nil {
		return err
	}
	fmt.Fprintln(tale, "-- pod mypod is deleted")
	apitest.Delete(nil, c.Embedded, pod("mypod"))
	if err := tale.Wait(ctx, "Pod default/mypod does not exist anymore"); err != nil {
		return err
	}
	fmt.Fprintf(tale, "-- pod %s is created, which cannot be synced\n", fails)
	apitest.Create(nil, c.Embedded, pod(fails))
	return tale.Wait(ctx, "Dropping Pod default/"+fails+" out of the queue: it is told to fail")
}
