package reflector_test

import (
	"context"
	"fmt"
	"io"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// printer is a store that prints its calls.
type printer struct{ done func() }

func (p printer) Add(s string) error    { fmt.Println("add", s); return nil }
func (p printer) Update(s string) error { fmt.Println("update", s); p.done(); return nil }
func (p printer) Delete(s string) error { fmt.Println("delete", s); return nil }
func (p printer) Bookmark(v string)     { fmt.Println("bookmark", v) }
func (p printer) Resync() error         { return nil }

func (p printer) Replace(items iter.Seq2[string, error], version func() string) error {
	var all []string
	for item, err := range items {
		if err != nil {
			return err
		}
		all = append(all, item)
	}
	fmt.Println("replace", all, "at", version())
	return nil
}

// The source of this example cannot stream its initial state, and its first watch
// breaks.
func ExampleReflector() {
	watches := [][]listwatch.Event[string]{
		{{Type: watch.Added, Object: "blue", ResourceVersion: "42"}, {Type: watch.Bookmark, ResourceVersion: "45"}},
		{{Type: watch.Modified, Object: "red", ResourceVersion: "46"}},
	}
	source := &listwatch.ListWatch[string]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[string], error) {
			return rest.ListOf("41", "red", "green"), nil
		},
		WatchFunc: func(_ context.Context, o metav1.ListOptions) (*listwatch.Watch[string], error) {
			fmt.Println("watch from", o.ResourceVersion)
			events := watches[0]
			watches = watches[1:]
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[string], error) {
				if len(events) == 0 {
					return listwatch.Event[string]{}, io.ErrUnexpectedEOF
				}
				event := events[0]
				events = events[1:]
				return event, ctx.Err()
			}, nil), nil
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := reflector.New(source, reflector.Store[string](printer{done: cancel}), reflector.Options[string]{
		Name: "colours", PreferList: true,
	})
	err := r.Run(ctx)
	fmt.Println(r.State().Phase, "at", r.LastSyncResourceVersion(), err)
	// Output:
	// replace [red green] at 41
	// watch from 41
	// add blue
	// bookmark 45
	// watch from 45
	// update red
	// stopped at 46 <nil>
}
