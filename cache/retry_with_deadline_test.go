package cache

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Retryable errors are retried for maxRetryDuration after the first error. An
// error after the reset period counts as a first error.
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
		require.False(t, retry.ShouldRetry(), "the first error is older than maxRetryDuration")
		time.Sleep(time.Minute)
		retry.After(again)
		require.True(t, retry.ShouldRetry(), "after a false result the time starts again")
		time.Sleep(time.Minute)
		retry.After(again)
		require.True(t, retry.ShouldRetry(), "after the reset period")
	})
	require.False(t, NewRetryWithDeadline(0, 0, nil, nil).ShouldRetry(), "maxRetryDuration is 0")
	never := NewRetryWithDeadline(time.Hour, time.Hour, nil, nil)
	never.After(again)
	require.False(t, never.ShouldRetry(), "no error is retryable")
}
