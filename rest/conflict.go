package rest

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	conflictTries   = 5
	conflictBackoff = 10 * time.Millisecond
)

// RetryOnConflict calls fn until it returns something else than a conflict: fn
// reads an object, changes it and writes it, and somebody else may have written
// it in between. fn must read anew each time, from the server: a cache may not
// have what the other has written.
//
// fn is called at most five times, with a jittered wait before each call but
// the first that is about 10 ms and doubles. The error is fn's last one. When
// ctx ends during a wait, it says both that and what the conflict was.
func RetryOnConflict(ctx context.Context, fn func(ctx context.Context) error) error {
	backoff := conflictBackoff
	for try := 1; ; try++ {
		err := fn(ctx)
		if !apierrors.IsConflict(err) || try == conflictTries {
			return err
		}
		if ended := sleep(ctx, backoff/2+jitter(backoff)); ended != nil {
			return fmt.Errorf("wait to try again: %w; the last try: %w", ended, err)
		}
		backoff *= 2
	}
}
