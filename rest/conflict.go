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

// RetryOnConflict calls fn until it returns something other than a conflict. fn
// reads an object, changes it and writes it; another client may write it in
// between. fn must read the object from the server each time: a cache may not have
// the other write yet.
//
// fn is called at most five times. The jittered wait before each further call
// begins at about 10 ms and doubles. The error is fn's last one. If ctx ends during
// a wait, the error includes both the context's error and the conflict.
func RetryOnConflict(ctx context.Context, fn func(ctx context.Context) error) error {
	backoff := conflictBackoff
	for try := 1; ; try++ {
		err := fn(ctx)
		if !apierrors.IsConflict(err) || try == conflictTries {
			return err
		}
		if ended := sleep(ctx, backoff/2+jitter(backoff)); ended != nil {
			return fmt.Errorf("wait for the retry: %w; last attempt: %w", ended, err)
		}
		backoff *= 2
	}
}
