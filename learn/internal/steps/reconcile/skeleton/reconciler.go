// Package reconcile is your part of step 11.
package reconcile

import "github.com/thinformer/thinformer/learn/internal/stack"

// NewReconciler returns the reconciler of sites. For the key of a ConfigMap with the
// label SiteLabel, Reconcile creates its page, updates it if it differs, and deletes it
// if the site is deleted. It reads the cache, which may be older than the server.
func NewReconciler(cache stack.Indexer, client stack.Client) stack.Reconciler {
	return nil
}
