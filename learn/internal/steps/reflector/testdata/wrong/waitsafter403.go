// want: an expired version leads to a new list: want "list, list"

package reflector

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Only an expired version leads to a new list. After each other error of the watch the
// Reflector waits for its end.
func (r *reflector) listAndFollow(ctx context.Context) (progress bool) {
	list, err := r.readState(ctx)
	if err != nil {
		return false
	}
	if err := r.store.Replace(list.Items(), list.ResourceVersion); err != nil {
		return false
	}
	version := list.ResourceVersion()
	r.store.last.Store(version)
	last, err := r.follower.Follow(ctx, version)
	if !apierrors.IsResourceExpired(err) {
		<-ctx.Done()
	}
	return last != version
}
