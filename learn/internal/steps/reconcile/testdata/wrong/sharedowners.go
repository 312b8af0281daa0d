// want: cached objects are not modified: Reconcile modifies the object shop/again-page of the cache, which all readers share: its owner references are now
package reconcile

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// update copies the struct of the page, which shares the owner references.
func (r *reconciler) update(ctx context.Context, site, page stack.Object) error {
	if !belongs(page, site.Name) {
		return fmt.Errorf("%s exists and is not a page of %s", stack.Key(page), stack.Key(site))
	}
	if maps.Equal(page.Data, site.Data) && reflect.DeepEqual(page.OwnerReferences, owner(site)) {
		return nil
	}
	changed := &stack.ConfigMap{TypeMeta: typeMeta, ObjectMeta: page.ObjectMeta, Data: site.Data}
	changed.OwnerReferences = append(changed.OwnerReferences[:0], owner(site)...)
	return r.request("PUT", page.Namespace).Name(page.Name).Body(changed).Do(ctx).Into(new(stack.ConfigMap))
}
