// want: a new site of the same name becomes the owner: the owner references of shop/docs-page are
package reconcile

import (
	"context"
	"fmt"
	"maps"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// update compares only the data.
func (r *reconciler) update(ctx context.Context, site, page stack.Object) error {
	if !belongs(page, site.Name) {
		return fmt.Errorf("%s is not a page", stack.Key(page))
	}
	if maps.Equal(page.Data, site.Data) {
		return nil
	}
	changed := &stack.ConfigMap{TypeMeta: typeMeta, ObjectMeta: *page.ObjectMeta.DeepCopy(), Data: site.Data}
	changed.OwnerReferences = owner(site)
	return r.request("PUT", page.Namespace).Name(page.Name).Body(changed).Do(ctx).Into(new(stack.ConfigMap))
}
