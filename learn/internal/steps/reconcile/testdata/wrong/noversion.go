// want: an update does not undo a change that the cache lacks: after Reconcile the annotation does not exist
package reconcile

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// update sends no version, so that there are no conflicts.
func (r *reconciler) update(ctx context.Context, site, page stack.Object) error {
	if !belongs(page, site.Name) {
		return fmt.Errorf("%s is not a page", stack.Key(page))
	}
	if maps.Equal(page.Data, site.Data) && reflect.DeepEqual(page.OwnerReferences, owner(site)) {
		return nil
	}
	changed := &stack.ConfigMap{TypeMeta: typeMeta, ObjectMeta: *page.ObjectMeta.DeepCopy(), Data: site.Data}
	changed.OwnerReferences = owner(site)
	changed.ResourceVersion = ""
	return r.request("PUT", page.Namespace).Name(page.Name).Body(changed).Do(ctx).Into(new(stack.ConfigMap))
}
