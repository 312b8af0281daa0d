// want: a broken connection waits and goes on: instead of opening another watch

package resume

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// The rule of the articles: only a refused connection waits, for one second. All other
// errors lead to a list.
func (f *follower) Follow(ctx context.Context, version string) (last string, err error) {
	for {
		failure := f.watch(ctx, &version)
		switch {
		case ctx.Err() != nil:
			return version, ctx.Err()
		case failure == nil:
			continue
		case errors.Is(failure, syscall.ECONNREFUSED):
			time.Sleep(time.Second)
			continue
		}
		return version, failure
	}
}
