package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/thinformer/thinformer/cache/retry"
)

var errConflict = apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "a", errors.New("written by another client"))

// OnError: fn is called until it returns nil or another error, Steps times at most, and the
// error is that of the last call.
func TestRetryOnConflict(t *testing.T) {
	other := errors.New("other")
	for _, c := range []struct {
		results []error // of the calls; the last one is repeated
		calls   int
	}{
		{[]error{nil}, 1},
		{[]error{errConflict, nil}, 2},
		{[]error{fmt.Errorf("update: %w", errConflict), nil}, 2},
		{[]error{errConflict, other}, 2},
		{[]error{other}, 1},
		{[]error{errConflict}, 5},
		// An error that wait.Interrupted recognizes is not replaced by the conflict before.
		{[]error{errConflict, context.DeadlineExceeded}, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
				calls++
				return c.results[min(calls, len(c.results))-1]
			})
			require.Equal(t, c.results[len(c.results)-1], err)
			require.Equal(t, c.calls, calls)
		})
	}
}

// The back-offs wait about 10 ms each time, or 10, 50 and 250 ms.
func TestBackoffs(t *testing.T) {
	for _, c := range []struct {
		backoff wait.Backoff
		waited  time.Duration
	}{
		{retry.DefaultRetry, 40 * time.Millisecond},
		{retry.DefaultBackoff, 310 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			err := retry.OnError(c.backoff, func(error) bool { return true }, func() error { return errConflict })
			require.Equal(t, errConflict, err)
			require.GreaterOrEqual(t, time.Since(begun), c.waited)
			require.LessOrEqual(t, time.Since(begun), c.waited*11/10)
		})
	}
}

func TestOnErrorWithoutFunctionsOrSteps(t *testing.T) {
	always := func(error) bool { return true }
	require.ErrorContains(t, retry.OnError(retry.DefaultRetry, always, nil), "the function is nil")
	require.ErrorContains(t, retry.OnError(retry.DefaultRetry, nil, func() error { return nil }), "retriable")
	err := retry.OnError(wait.Backoff{}, always, func() error { t.Error("called"); return nil })
	require.True(t, wait.Interrupted(err))
}
