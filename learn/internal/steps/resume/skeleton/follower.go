// Package resume goes on with a watch after a break.
package resume

import (
	"context"
	"errors"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
)

// NewFollower returns a Follower that passes the events of watcher to store. When a watch
// has ended or is silent, it opens another one at the last version, after a failure with
// a pause of backoff. It returns only if another watch from that version is useless.
func NewFollower(watcher listwatch.Watcher[stack.Object], store stack.Store, backoff stack.Backoff, silence time.Duration) stack.Follower {
	return &follower{watcher, store, backoff, silence}
}

type follower struct {
	watcher listwatch.Watcher[stack.Object]
	store   stack.Store
	backoff stack.Backoff
	silence time.Duration
}

func (f *follower) Follow(ctx context.Context, version string) (last string, err error) {
	return "", errors.New("not written yet")
}
