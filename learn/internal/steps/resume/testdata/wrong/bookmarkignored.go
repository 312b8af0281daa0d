// want: a bookmark moves the version: want "500"

package resume

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// A bookmark has no object, and is skipped.
func (f *follower) deliver(event stack.Event, version *string) (err error) {
	switch event.Type {
	case watch.Added:
		err = f.store.Add(event.Object)
	case watch.Modified:
		err = f.store.Update(event.Object)
	case watch.Deleted:
		err = f.store.Delete(event.Object)
	default:
		return nil
	}
	*version = event.ResourceVersion
	return err
}
