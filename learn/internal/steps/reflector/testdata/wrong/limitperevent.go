// want: a mark that never comes leads to a list: in all (Silence)

package reflector

import (
	"context"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// Each event begins the time anew. A busy server without a mark is never given up.
func (r *reflector) stream(ctx context.Context) (*rest.List[stack.Object], error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(r.options.Silence, cancel)
	defer timer.Stop()
	w, err := r.source.Watch(ctx, metav1.ListOptions{
		SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	objects := map[string]stack.Object{}
	for {
		event, err := w.Next(ctx)
		timer.Reset(r.options.Silence)
		switch {
		case err != nil:
			return nil, err
		case event.InitialEventsEnd:
			return rest.ListOf(event.ResourceVersion, slices.Collect(maps.Values(objects))...), nil
		case event.Type == watch.Bookmark:
		case event.Type == watch.Deleted:
			delete(objects, stack.Key(event.Object))
		default:
			objects[stack.Key(event.Object)] = event.Object
		}
	}
}
