// want: a watch without progress waits before the list: a list alone does not reset it

package reflector

import (
	"context"
)

// Each list resets the back-off.
func (r *reflector) listAndFollow(ctx context.Context) (progress bool) {
	list, err := r.readState(ctx)
	if err != nil {
		return false
	}
	if err := r.store.Replace(list.Items(), list.ResourceVersion); err != nil {
		return false
	}
	r.options.Backoff.Reset()
	version := list.ResourceVersion()
	r.store.last.Store(version)
	last, _ := r.follower.Follow(ctx, version)
	return last != version
}
