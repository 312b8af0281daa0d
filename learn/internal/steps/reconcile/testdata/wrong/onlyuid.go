// want: a page that differs is updated: makes these requests: none; want: PUT
package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// update looks only for the uid of the site among the owners.
func (r *reconciler) update(ctx context.Context, site, page stack.Object) error {
	if !belongs(page, site.Name) {
		return fmt.Errorf("%s exists and is not a page of %s", stack.Key(page), stack.Key(site))
	}
	owned := slices.ContainsFunc(page.OwnerReferences, func(r metav1.OwnerReference) bool { return r.UID == site.UID })
	if maps.Equal(page.Data, site.Data) && owned {
		return nil
	}
	changed := &stack.ConfigMap{TypeMeta: typeMeta, ObjectMeta: *page.ObjectMeta.DeepCopy(), Data: site.Data}
	changed.OwnerReferences = owner(site)
	return r.request("PUT", page.Namespace).Name(page.Name).Body(changed).Do(ctx).Into(new(stack.ConfigMap))
}
