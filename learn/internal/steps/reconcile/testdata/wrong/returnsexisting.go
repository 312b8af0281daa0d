// want: a create after a stale read is no error: before the cache has the page that the first call has created, Reconcile returns
package reconcile

import (
	"context"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Reconcile trusts the cache.
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
	return r.create(ctx, site)
}
