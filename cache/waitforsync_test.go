package cache

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// syncedAt is synced from a moment on.
func syncedAt(moment time.Duration) InformerSynced {
	begin := time.Now()
	return func() bool { return time.Since(begin) >= moment }
}

// WaitForCacheSync looks soon and then less and less often, and never less than
// each 100 milliseconds.
func TestWaitForCacheSync(t *testing.T) {
	for name, tc := range map[string]struct {
		synced []time.Duration
		stop   time.Duration
		want   bool
		took   time.Duration
	}{
		"nobody":           {nil, time.Hour, true, 0},
		"at once":          {[]time.Duration{0, 0}, time.Hour, true, 0},
		"at once, stopped": {[]time.Duration{0}, 0, true, 0},
		"soon":             {[]time.Duration{0, time.Millisecond}, time.Hour, true, time.Millisecond},
		"later":            {[]time.Duration{time.Second}, time.Hour, true, 1027 * time.Millisecond},
		"too late":         {[]time.Duration{0, time.Hour}, time.Minute, false, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.stop)
				defer cancel()
				var all []InformerSynced
				for _, moment := range tc.synced {
					all = append(all, syncedAt(moment))
				}
				begin := time.Now()
				require.Equal(t, tc.want, WaitForCacheSync(ctx.Done(), all...))
				require.Equal(t, tc.took, time.Since(begin))
			})
		})
	}
}

// The named forms say how it ends.
func TestWaitForNamedCacheSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := &logs{}
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), said.logger()), time.Minute)
		defer cancel()
		require.True(t, WaitForNamedCacheSyncWithContext(ctx, syncedAt(time.Second)))
		require.Contains(t, said.String(), "synced")
		require.False(t, WaitForNamedCacheSyncWithContext(ctx, syncedAt(time.Hour)))
		require.Contains(t, said.String(), "Unable")
		require.True(t, WaitForNamedCacheSync("shop", nil, syncedAt(time.Second)))
		require.False(t, WaitForNamedCacheSync("shop", ctx.Done(), syncedAt(time.Second)))
	})
}

func after(name string, moment time.Duration) DoneChecker {
	done := make(chan struct{})
	time.AfterFunc(moment, func() { close(done) })
	return doneChecker{name, done}
}

// WaitFor waits for all, and logs them as they are done.
func TestWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := &logs{}
		why := errors.New("closing time")
		ctx, cancel := context.WithTimeoutCause(klog.NewContext(t.Context(), said.logger()), time.Minute, why)
		defer cancel()
		require.True(t, WaitFor(ctx, "nobody"))
		require.True(t, WaitFor(ctx, "", after("b", 2*time.Second), after("a", time.Second)))
		said.lines = nil
		begin := time.Now()
		never, early, done := after("never", time.Hour), after("late", 2*time.Hour), after("done", time.Second)
		require.False(t, WaitFor(ctx, "informers", never, early, done))
		require.Equal(t, 58*time.Second, time.Since(begin))
		require.Len(t, said.lines, 3)
		require.Contains(t, said.lines[1], "done")
		require.Contains(t, said.lines[2], `"instances"=["late" "never"]`)
		require.Contains(t, said.lines[2], "closing time")
		for range 20 { // whichever of two comes first
			require.True(t, WaitFor(ctx, "", done), "it was done before the context")
		}
		require.True(t, IsDone(done))
		require.False(t, IsDone(never))
		time.Sleep(2 * time.Hour)
	})
}

// SyncResult names who is late.
func TestSyncResult(t *testing.T) {
	synced := map[reflect.Type]bool{reflect.TypeFor[*pod](): false, reflect.TypeFor[*thing](): true, reflect.TypeFor[int](): false}
	require.NoError(t, SyncResult{Synced: synced}.AsError())
	err := SyncResult{Err: context.Canceled, Synced: synced}.AsError()
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "*cache.pod, int")
	require.NotContains(t, err.Error(), "thing")
}
