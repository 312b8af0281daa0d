// want: cached objects are not modified: Reconcile modifies the object shop/again-page of the cache
package reconcile

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// update changes the object of the cache.
func (r *reconciler) update(ctx context.Context, site, page stack.Object) error {
	if !belongs(page, site.Name) {
		return fmt.Errorf("%s is not a page", stack.Key(page))
	}
	if maps.Equal(page.Data, site.Data) && reflect.DeepEqual(page.OwnerReferences, owner(site)) {
		return nil
	}
	page.Data = site.Data
	page.OwnerReferences = owner(site)
	return r.request("PUT", page.Namespace).Name(page.Name).Body(page).Do(ctx).Into(new(stack.ConfigMap))
}
