// want: a streamed list is visible after the mark: without the mark: the store has received

package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// The initial objects reach the store as events.
func (r *reflector) stream(ctx context.Context) (*rest.List[stack.Object], error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Silence)
	defer cancel()
	w, err := r.source.Watch(ctx, metav1.ListOptions{
		SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	var objects []stack.Object
	for {
		event, err := w.Next(ctx)
		switch {
		case err != nil:
			return nil, err
		case event.InitialEventsEnd:
			return rest.ListOf(event.ResourceVersion, objects...), nil
		case event.Type == watch.Bookmark:
			continue
		}
		objects = append(objects, event.Object)
		if err := r.store.Add(event.Object); err != nil {
			return nil, err
		}
	}
}
