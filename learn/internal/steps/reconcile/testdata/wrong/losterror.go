// want: an error of the server is returned: the page exists, the cache lacks it, and the server responds 500 to its GET
package reconcile

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Reconcile loses the error of the GET.
func (r *reconciler) Reconcile(ctx context.Context, key string) error {
	namespace, name, _ := strings.Cut(key, "/")
	site, known := r.cache.Get(key)
	if known {
		_, known = site.Labels[stack.SiteLabel]
	}
	page, exists := r.cache.Get(key + "-page")
	switch {
	case !known && exists && belongs(page, name):
		return r.delete(ctx, page)
	case !known:
		return nil
	case exists:
		return r.update(ctx, site, page)
	}
	err := r.create(ctx, site)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	current := new(stack.ConfigMap)
	if err := r.request("GET", namespace).Name(name + "-page").Do(ctx).Into(current); err != nil {
		return nil
	}
	return r.update(ctx, site, current)
}
