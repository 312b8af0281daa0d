package cache

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Errors that are worth another try get maxRetryDuration from the first one on,
// and one that comes late enough is a first one.
func TestRetryWithDeadline(t *testing.T) {
	again := errors.New("again")
	synctest.Test(t, func(t *testing.T) {
		retry := NewRetryWithDeadline(10*time.Second, time.Minute, func(err error) bool { return err == again }, nil)
		retry.After(again)
		time.Sleep(9 * time.Second)
		retry.After(again)
		require.True(t, retry.ShouldRetry())
		time.Sleep(2 * time.Second)
		retry.After(errors.New("another"))
		require.False(t, retry.ShouldRetry(), "the first one is too long ago")
		time.Sleep(time.Minute)
		retry.After(again)
		require.True(t, retry.ShouldRetry(), "it begins anew")
		time.Sleep(time.Minute)
		retry.After(again)
		require.True(t, retry.ShouldRetry(), "the one before is long ago")
	})
	require.False(t, NewRetryWithDeadline(0, 0, nil, nil).ShouldRetry(), "no time at all")
	never := NewRetryWithDeadline(time.Hour, time.Hour, nil, nil)
	never.After(again)
	require.False(t, never.ShouldRetry(), "no error is worth it")
}
