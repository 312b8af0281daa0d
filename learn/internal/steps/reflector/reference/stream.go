package reflector

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// stream reads the state from a watch that sends it as events, up to the bookmark that
// ends them. A server that does not know the option may send events without end and never
// that bookmark: the whole time is limited.
func (r *reflector) stream(ctx context.Context) (*rest.List[stack.Object], error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Silence)
	defer cancel()
	w, err := r.source.Watch(ctx, metav1.ListOptions{
		SendInitialEvents:    new(true),
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
	})
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	objects := map[string]stack.Object{}
	for {
		event, err := w.Next(ctx)
		switch {
		case err != nil:
			return nil, err
		case event.InitialEventsEnd:
			return rest.ListOf(event.ResourceVersion, slices.Collect(maps.Values(objects))...), nil
		case event.Type == watch.Bookmark: // the state goes on
		case event.Type == watch.Deleted:
			delete(objects, stack.Key(event.Object))
		default:
			objects[stack.Key(event.Object)] = event.Object
		}
	}
}

// versionStore records the last version that has reached a store.
type versionStore struct {
	stack.Store
	last atomic.Value // a string, or nothing before the first Replace
}

func (s *versionStore) Add(object stack.Object) error    { return s.record(s.Store.Add, object) }
func (s *versionStore) Update(object stack.Object) error { return s.record(s.Store.Update, object) }
func (s *versionStore) Delete(object stack.Object) error { return s.record(s.Store.Delete, object) }

func (s *versionStore) record(store func(stack.Object) error, object stack.Object) error {
	err := store(object)
	if err == nil {
		s.last.Store(object.ResourceVersion)
	}
	return err
}

func (s *versionStore) Bookmark(version string) {
	s.Store.Bookmark(version)
	s.last.Store(version)
}
