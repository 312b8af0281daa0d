// want: an expired version leads to a new list: Run returns the error

package reflector

import (
	"context"
	"time"
)

// Run returns the error of Follow.
func (r *reflector) Run(ctx context.Context) error {
	for {
		list, err := r.readState(ctx)
		if err == nil {
			err = r.store.Replace(list.Items(), list.ResourceVersion)
		}
		if err == nil {
			version := list.ResourceVersion()
			r.store.last.Store(version)
			_, err = r.follower.Follow(ctx, version)
			return err
		}
		select {
		case <-time.After(r.options.Backoff.Next()):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
