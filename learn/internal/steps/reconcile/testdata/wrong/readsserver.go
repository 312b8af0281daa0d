// want: a site without a page gets one: makes these requests: GET
package reconcile

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Reconcile asks the server for each page.
func (r *reconciler) Reconcile(ctx context.Context, key string) error {
	namespace, name, _ := strings.Cut(key, "/")
	site, known := r.cache.Get(key)
	if known {
		_, known = site.Labels[stack.SiteLabel]
	}
	page := new(stack.ConfigMap)
	err := r.request("GET", namespace).Name(name + "-page").Do(ctx).Into(page)
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return err
	case known && err != nil:
		return r.create(ctx, site)
	case known:
		return r.update(ctx, site, page)
	case err == nil && belongs(page, name):
		return r.delete(ctx, page)
	}
	return nil
}
