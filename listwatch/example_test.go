package listwatch_test

import (
	"context"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// A source without an API server consists of two functions.
func ExampleListWatch() {
	var source listwatch.ListerWatcher[string] = &listwatch.ListWatch[string]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[string], error) {
			return rest.ListOf("41", "red", "green"), nil
		},
		WatchFunc: func(_ context.Context, opts metav1.ListOptions) (*listwatch.Watch[string], error) {
			events := []listwatch.Event[string]{{Type: watch.Added, Object: "blue", ResourceVersion: "42"}}
			next := func(context.Context) (listwatch.Event[string], error) {
				if len(events) == 0 {
					return listwatch.Event[string]{}, io.EOF
				}
				event := events[0]
				events = events[1:]
				return event, nil
			}
			return rest.NewWatch(next, func() {}), nil
		},
	}

	ctx := context.Background()
	list, _ := source.List(ctx, metav1.ListOptions{})
	for colour := range list.Items() {
		fmt.Println(colour)
	}
	changes, _ := source.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion()})
	defer changes.Stop()
	event, _ := changes.Next(ctx)
	fmt.Println(event.Type, event.Object, "at", event.ResourceVersion)
	// Output:
	// red
	// green
	// ADDED blue at 42
}
