// want: a site without a page gets one: has the label course/site, so it is a site itself
package reconcile

import (
	"context"
	"maps"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// create copies the labels of the site.
func (r *reconciler) create(ctx context.Context, site stack.Object) error {
	page := &stack.ConfigMap{TypeMeta: typeMeta, Data: site.Data}
	page.Namespace, page.Name = site.Namespace, site.Name+"-page"
	page.Labels = maps.Clone(site.Labels)
	page.Labels[stack.PageLabel] = site.Name
	page.OwnerReferences = owner(site)
	return r.request("POST", site.Namespace).Body(page).Do(ctx).Into(new(stack.ConfigMap))
}
