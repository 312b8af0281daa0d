package rest

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
)

var errConflict = apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "x", errors.New("written by another"))

func TestRetryOnConflictTriesFiveTimes(t *testing.T) {
	for _, c := range []struct {
		conflicts int
		then      error
		calls     int
	}{
		{0, nil, 1},
		{1, nil, 2},
		{4, nil, 5},
		{9, nil, 5},
		{2, errors.New("something else"), 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			begun := time.Now()
			err := RetryOnConflict(t.Context(), func(context.Context) error {
				if calls++; calls <= c.conflicts {
					return fmt.Errorf("update: %w", errConflict)
				}
				return c.then
			})
			require.Equal(t, c.calls, calls)
			if c.conflicts >= conflictTries {
				require.True(t, apierrors.IsConflict(err))
			} else {
				require.Equal(t, c.then, err)
			}
			// 10 ms, doubled each time, with a jitter of one half.
			least := conflictBackoff / 2 * (1<<(c.calls-1) - 1)
			require.GreaterOrEqual(t, time.Since(begun), least)
			require.LessOrEqual(t, time.Since(begun), 3*least)
		})
	}
}

func TestRetryOnConflictEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := RetryOnConflict(ctx, func(given context.Context) error {
			require.Equal(t, ctx, given)
			cancel()
			return errConflict
		})
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, apierrors.IsConflict(err))
	})
}
