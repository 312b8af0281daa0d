package informer

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/observe"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// An observer receives each change once, in order and unmerged, when the snapshot with
// the revision of the event has it, until it is removed.
func TestObserverReceivesEachChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan listwatch.Event[*gadget], 10)
		inf := New(&listwatch.ListWatch[*gadget]{
			ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
				return rest.ListOf("5", newGadget("a@4/ua")), nil
			},
			WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
				return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*gadget], error) {
					select {
					case event := <-events:
						return event, nil
					case <-ctx.Done():
						return listwatch.Event[*gadget]{}, ctx.Err()
					}
				}, nil), nil
			},
		}, Options[*gadget]{})
		var seen []string
		remove := inf.Observe(func(e *observe.Event) {
			_, stored := inf.Get(e.Key)
			old := ""
			if e.Old != nil {
				old = e.Old.(*gadget).ResourceVersion
			}
			require.Equal(t, e.Revision, inf.Reader().Snapshot().Revision())
			seen = append(seen, fmt.Sprintf("%s %s>%s deleted=%t stored=%t listed=%t", e.Key, old, e.New.(*gadget).ResourceVersion, e.Deleted, stored, e.Listed))
		})
		startInformer(t, inf)
		require.NoError(t, inf.WaitForSync(t.Context()))
		for _, event := range []listwatch.Event[*gadget]{
			{Type: watch.Modified, Object: newGadget("a@6/ua")},
			{Type: watch.Modified, Object: newGadget("a@6/ua")}, // a repeat
			{Type: watch.Deleted, Object: newGadget("a@7/ua")},
			{Type: watch.Added, Object: newGadget("b@8/ub")},
		} {
			events <- event
			synctest.Wait()
		}
		remove()
		events <- listwatch.Event[*gadget]{Type: watch.Deleted, Object: newGadget("b@9/ub")}
		synctest.Wait()
		require.Equal(t, []string{
			"a >4 deleted=false stored=true listed=true",
			"a 4>6 deleted=false stored=true listed=false",
			"a 6>7 deleted=true stored=false listed=false",
			"b >8 deleted=false stored=true listed=false",
		}, seen)
	})
}
