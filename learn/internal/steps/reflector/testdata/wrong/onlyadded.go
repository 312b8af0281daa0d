// want: changes before the mark belong to the streamed list: want "replace a 11 c 18 to 20"

package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// Only the ADDED events before the mark are taken.
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
		case event.Type == watch.Added:
			objects = append(objects, event.Object)
		}
	}
}
