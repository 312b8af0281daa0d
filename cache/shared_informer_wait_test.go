package cache

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// syncedAt returns a function that reports true after the given time.
func syncedAt(moment time.Duration) InformerSynced {
	begin := time.Now()
	return func() bool { return time.Since(begin) >= moment }
}

// WaitForCacheSync polls with an interval that grows to 100 milliseconds.
func TestWaitForCacheSync(t *testing.T) {
	for name, tc := range map[string]struct {
		synced []time.Duration
		stop   time.Duration
		want   bool
		took   time.Duration
	}{
		"no functions":         {nil, time.Hour, true, 0},
		"immediately":          {[]time.Duration{0, 0}, time.Hour, true, 0},
		"immediately, stopped": {[]time.Duration{0}, 0, true, 0},
		"soon":                 {[]time.Duration{0, time.Millisecond}, time.Hour, true, time.Millisecond},
		"later":                {[]time.Duration{time.Second}, time.Hour, true, 1027 * time.Millisecond},
		"too late":             {[]time.Duration{0, time.Hour}, time.Minute, false, time.Minute},
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

// The named forms log the result.
func TestWaitForNamedCacheSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs := &logRecorder{}
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logs.logger()), time.Minute)
		defer cancel()
		require.True(t, WaitForNamedCacheSyncWithContext(ctx, syncedAt(time.Second)))
		require.Contains(t, logs.String(), "synced")
		require.False(t, WaitForNamedCacheSyncWithContext(ctx, syncedAt(time.Hour)))
		require.Contains(t, logs.String(), "Unable")
		require.True(t, WaitForNamedCacheSync("shop", nil, syncedAt(time.Second)))
		require.False(t, WaitForNamedCacheSync("shop", ctx.Done(), syncedAt(time.Second)))
	})
}

func doneAfter(name string, moment time.Duration) DoneChecker {
	done := make(chan struct{})
	time.AfterFunc(moment, func() { close(done) })
	return doneChecker{name, done}
}

// WaitFor waits for all checkers and logs each one that is done.
func TestWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs := &logRecorder{}
		cause := errors.New("shutting down")
		ctx, cancel := context.WithTimeoutCause(klog.NewContext(t.Context(), logs.logger()), time.Minute, cause)
		defer cancel()
		require.True(t, WaitFor(ctx, "no checkers"))
		require.True(t, WaitFor(ctx, "", doneAfter("b", 2*time.Second), doneAfter("a", time.Second)))
		logs.lines = nil
		begin := time.Now()
		never, early, done := doneAfter("never", time.Hour), doneAfter("late", 2*time.Hour), doneAfter("done", time.Second)
		require.False(t, WaitFor(ctx, "informers", never, early, done))
		require.Equal(t, 58*time.Second, time.Since(begin))
		require.Len(t, logs.lines, 3)
		require.Contains(t, logs.lines[1], "done")
		require.Contains(t, logs.lines[2], `"instances"=["late" "never"]`)
		require.Contains(t, logs.lines[2], "shutting down")
		for range 20 { // both channels are ready
			require.True(t, WaitFor(ctx, "", done), "done before the context ended")
		}
		require.True(t, IsDone(done))
		require.False(t, IsDone(never))
		time.Sleep(2 * time.Hour)
	})
}

// The log lines of WaitFor name the line of its caller, as in client-go.
func TestWaitForLogsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		logger := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{LogCaller: funcr.All})
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logger), time.Second)
		defer cancel()
		require.False(t, WaitFor(ctx, "informers", doneAfter("now", 0), doneAfter("never", time.Hour)))
		require.Len(t, lines, 3)
		for _, line := range lines {
			require.Contains(t, line, `"file"="shared_informer_wait_test.go"`)
		}
	})
}

// The error of a SyncResult names the types that have not synced.
func TestSyncResult(t *testing.T) {
	synced := map[reflect.Type]bool{reflect.TypeFor[*pod](): false, reflect.TypeFor[*thing](): true, reflect.TypeFor[int](): false}
	require.NoError(t, SyncResult{Synced: synced}.AsError())
	err := SyncResult{Err: context.Canceled, Synced: synced}.AsError()
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "*cache.pod, int")
	require.NotContains(t, err.Error(), "thing")
}
