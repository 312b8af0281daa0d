// want: the context ends a request: the context has ended: Reconcile("shop/docs") does not return
package reconcile

import (
	"context"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// create uses a context of its own.
func (r *reconciler) create(_ context.Context, site stack.Object) error {
	page := &stack.ConfigMap{TypeMeta: typeMeta, Data: site.Data}
	page.Namespace, page.Name = site.Namespace, site.Name+"-page"
	page.Labels = map[string]string{stack.PageLabel: site.Name}
	page.OwnerReferences = owner(site)
	return r.request("POST", site.Namespace).Body(page).Do(context.Background()).Into(new(stack.ConfigMap))
}
