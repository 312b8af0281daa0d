package leader_test

import (
	"context"
	"fmt"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller/leader"
	"github.com/thinformer/thinformer/rest"
)

// Two replicas contend for one Lease. The first leads until it is stopped, then the
// second.
func Example() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()

	replica := func(ctx context.Context, name string, leads chan<- string) <-chan error {
		ended := make(chan error, 1)
		go func() {
			client, err := rest.New(srv.Config()) // in a pod: rest.InCluster
			if err != nil {
				ended <- err
				return
			}
			defer client.Close()
			elector := leader.New(client, leader.Options{Namespace: "default", Name: "widget-operator", Identity: name})
			ended <- elector.Run(ctx, func(ctx context.Context) error {
				leads <- name
				<-ctx.Done() // controllers run here
				return nil
			})
		}()
		return ended
	}

	leads := make(chan string)
	ctx, stop := context.WithCancel(context.Background())
	first := replica(ctx, "pod-a", leads)
	fmt.Println(<-leads, "leads")

	ctx, stopSecond := context.WithCancel(context.Background())
	second := replica(ctx, "pod-b", leads)
	stop()
	fmt.Println("pod-a has stopped:", <-first)
	fmt.Println(<-leads, "leads")
	stopSecond()
	fmt.Println("pod-b has stopped:", <-second)
	// Output:
	// pod-a leads
	// pod-a has stopped: <nil>
	// pod-b leads
	// pod-b has stopped: <nil>
}
