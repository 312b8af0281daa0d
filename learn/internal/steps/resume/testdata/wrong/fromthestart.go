// want: a watch that ends is opened again at the last version: want "12", the last version that reached the store

package resume

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The version of the events is not kept.
func (f *follower) deliver(event stack.Event, version *string) error {
	switch event.Type {
	case watch.Added:
		return f.store.Add(event.Object)
	case watch.Modified:
		return f.store.Update(event.Object)
	case watch.Deleted:
		return f.store.Delete(event.Object)
	case watch.Bookmark:
		f.store.Bookmark(event.ResourceVersion)
	}
	return nil
}
