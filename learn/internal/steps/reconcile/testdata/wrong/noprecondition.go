// want: a delete does not delete a newer page: Reconcile deletes the newer one
package reconcile

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// delete deletes by name.
func (r *reconciler) delete(ctx context.Context, page stack.Object) error {
	err := r.request("DELETE", page.Namespace).Name(page.Name).Do(ctx).Into(new(stack.ConfigMap))
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
