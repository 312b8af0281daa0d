// want: the context ends every wait: Follow waits for the back-off: Follow returns

package resume

import (
	"context"
	"time"
)

// The back-off is a time.Sleep, which no context ends.
func (f *follower) Follow(ctx context.Context, version string) (last string, err error) {
	for {
		failure := f.watch(ctx, &version)
		switch {
		case ctx.Err() != nil:
			return version, ctx.Err()
		case failure == nil:
			continue
		case isFinal(failure):
			return version, failure
		}
		time.Sleep(f.backoff.Next())
	}
}
