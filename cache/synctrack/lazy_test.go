package synctrack_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/cache/synctrack"
)

// Get: the value is computed once, and again after Notify.
func TestLazyComputesOnceForEachNotify(t *testing.T) {
	calls := 0
	z := synctrack.Lazy[int]{Evaluate: func() (int, error) { calls++; return calls, nil }}
	for want := 1; want < 4; want++ {
		for range 3 {
			got, err := z.Get()
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		z.Notify()
	}
	require.Equal(t, 3, calls)
}

// Get: an error is not kept.
func TestLazyRepeatsAfterAnError(t *testing.T) {
	failed, calls := errors.New("failed"), 0
	z := synctrack.Lazy[string]{Evaluate: func() (string, error) {
		if calls++; calls == 1 {
			return "partial", failed
		}
		return "whole", nil
	}}
	got, err := z.Get()
	require.Equal(t, failed, err)
	require.Equal(t, "partial", got)
	got, err = z.Get()
	require.NoError(t, err)
	require.Equal(t, "whole", got)
	require.Equal(t, 2, calls)
}

func TestLazyWithoutEvaluateReturnsAnError(t *testing.T) {
	var z synctrack.Lazy[int]
	_, err := z.Get()
	require.ErrorContains(t, err, "Lazy.Evaluate is nil")
}

// Get: concurrent callers wait for one call; after a Notify meanwhile, the next Get begins
// another one, and the result of the older call does not replace the newer value.
func TestLazyWaitsForOneCall(t *testing.T) {
	const callers = 20
	var calls, called atomic.Int64
	begun, release := make(chan struct{}, 1), make(chan struct{})
	z := &synctrack.Lazy[int64]{Evaluate: func() (int64, error) {
		n := calls.Add(1)
		switch n {
		case 1:
			begun <- struct{}{}
			<-release
		case 3: // until the other callers wait for this call, most likely
			for i := 0; i < 1000 || called.Load() < callers; i++ {
				runtime.Gosched()
			}
		}
		return n, nil
	}}
	get := func() int64 {
		got, err := z.Get()
		require.NoError(t, err)
		return got
	}
	first := make(chan int64)
	go func() { first <- get() }()
	<-begun
	z.Notify()
	require.EqualValues(t, 2, get())
	close(release)
	require.EqualValues(t, 1, <-first)
	require.EqualValues(t, 2, get())
	require.EqualValues(t, 2, calls.Load())

	z.Notify()
	var waiting sync.WaitGroup
	for range callers {
		waiting.Go(func() {
			called.Add(1)
			_ = get()
		})
	}
	waiting.Wait()
	require.EqualValues(t, 3, calls.Load())
}
