// want: a page that is right costs no request: makes these requests: PUT
package reconcile

import (
	"context"
	"fmt"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// update does not compare.
func (r *reconciler) update(ctx context.Context, site, page stack.Object) error {
	if !belongs(page, site.Name) {
		return fmt.Errorf("%s is not a page", stack.Key(page))
	}
	changed := &stack.ConfigMap{TypeMeta: typeMeta, ObjectMeta: *page.ObjectMeta.DeepCopy(), Data: site.Data}
	changed.OwnerReferences = owner(site)
	return r.request("PUT", page.Namespace).Name(page.Name).Body(changed).Do(ctx).Into(new(stack.ConfigMap))
}
