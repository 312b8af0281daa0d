// want: a page that a stale cache lacks is updated: the data of shop/docs-page are map[text:old]
package reconcile

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Reconcile takes AlreadyExists for a success.
func (r *reconciler) Reconcile(ctx context.Context, key string) error {
	_, name, _ := strings.Cut(key, "/")
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
	if err := r.create(ctx, site); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}
