package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A failed key is retried with delays that double up to Backoff.Max. A success resets the
// delay. State has the time of the next retry and the error.
func TestFailuresAreRetriedWithBackoff(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	runTestController(t, Options{Backoff: Backoff{Base: time.Second, Max: 4 * time.Second}}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		if broken.Load() {
			return Result{RequeueAfter: time.Millisecond}, errors.New("failed")
		}
		return Result{}, nil
	}, func(tc *testController) {
		tc.sleep(9 * time.Second)
		assert.Equal(t, []string{"0s a/x", "1s a/x", "3s a/x", "7s a/x"}, tc.takeRecords())
		s := tc.c.State()
		assert.Len(t, s.Retrying, 1)
		assert.Equal(t, FailingRequest{Request{"a", "x"}, 4, errors.New("failed"), tc.begin.Add(11 * time.Second)}, s.Retrying[0])
		assert.Equal(t, 1, s.RetryingCount)
		assert.Equal(t, []uint64{4, 4, 4}, []uint64{s.Reconciles, s.Errors, s.Retries})
		tc.sleep(3 * time.Second)
		broken.Store(false)
		tc.sleep(20 * time.Second)
		assert.Equal(t, []string{"11s a/x", "15s a/x"}, tc.takeRecords())
		assert.Empty(t, tc.c.State().Retrying)
		broken.Store(true)
		tc.put("a/x", 1)
		tc.sleep(2 * time.Second)
		assert.Equal(t, []string{"32s a/x", "33s a/x"}, tc.takeRecords(), "the delay was not reset")
	}, "a/x")
}

// A key is not retried after a terminal error, also if it is wrapped. It is reconciled
// again after a change.
func TestTerminalErrorsAreNotRetried(t *testing.T) {
	runTestController(t, Options{}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		return Result{}, fmt.Errorf("reading: %w", TerminalError(errors.New("invalid spec")))
	}, func(tc *testController) {
		tc.sleep(time.Hour)
		assert.Equal(t, []string{"0s a/x"}, tc.takeRecords())
		assert.Equal(t, []string{`level=ERROR msg="Reconcile failed with a terminal error; the key is not retried" controller=books namespace=a name=x err="reading: invalid spec"`}, tc.logs.all())
		tc.put("a/x", 1)
		assert.Equal(t, []string{"1h0m0s a/x"}, tc.takeRecords())
		assert.Equal(t, uint64(2), tc.c.State().Errors)
		assert.Zero(t, tc.c.State().Retries)
	}, "a/x")
	assert.NoError(t, TerminalError(nil))
}

// RequeueAfter enqueues the key after its delay. If there are two delays, the earlier one
// counts. It is not a retry and does not delay a change.
func TestRequeueAfterEnqueuesTheKey(t *testing.T) {
	waits := []time.Duration{10 * time.Second, time.Minute, 0, 0}
	runTestController(t, Options{}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		wait := waits[0]
		waits = append(waits[1:], 0)
		return Result{RequeueAfter: wait}, nil
	}, func(tc *testController) {
		tc.sleep(5 * time.Second)
		tc.put("a/x", 1)
		tc.sleep(time.Hour)
		assert.Equal(t, []string{"0s a/x", "5s a/x", "10s a/x"}, tc.takeRecords())
		assert.Zero(t, tc.c.State().Retries)
		assert.Empty(t, tc.c.State().Retrying)
		tc.put("a/x", 2)
		tc.sleep(time.Hour)
		assert.Len(t, tc.takeRecords(), 1)
	}, "a/x")
}

// A panic and runtime.Goexit count as errors. After MaxPanics in a row the key is in
// quarantine: it is reconciled once for each change. Other keys are not affected.
func TestRepeatedPanicsAreQuarantined(t *testing.T) {
	for name, fail := range map[string]func(){
		"panic":  func() { panic("broken") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			broken := true
			var quarantined []string
			runTestController(t, Options{
				MaxPanics: 3, Backoff: Backoff{Base: time.Second}, ResyncPeriod: time.Minute,
				Trace: &Trace{Quarantined: func(i TraceInfo, err error) {
					quarantined = append(quarantined, i.Request.String()+": "+err.Error())
				}},
			}, func(tc *testController, _ context.Context, req Request) (Result, error) {
				if req.Name == "x" {
					tc.record("%v", req)
					if broken {
						fail()
					}
				}
				return Result{}, nil
			}, func(tc *testController) {
				tc.sleep(time.Hour)
				assert.Equal(t, []string{"0s a/x", "1s a/x", "3s a/x"}, tc.takeRecords(), "the key was retried or resynced in quarantine")
				s := tc.c.State()
				assert.Equal(t, 1, s.QuarantinedCount)
				assert.Equal(t, Request{"a", "x"}, s.Quarantined[0].Request)
				assert.NotContains(t, s.Quarantined[0].Err.Error(), "goroutine 1", "the error has the stack")
				assert.Empty(t, s.Retrying)
				assert.Equal(t, uint64(3), s.Panics)
				assert.Greater(t, s.Reconciles, uint64(10), "other keys are not reconciled")
				tc.put("a/x", 1)
				tc.sleep(time.Hour)
				assert.Equal(t, []string{"1h0m0s a/x"}, tc.takeRecords(), "a change is reconciled once")
				assert.Len(t, quarantined, 2)
				broken = false
				tc.put("a/x", 2)
				assert.Equal(t, []string{"2h0m0s a/x"}, tc.takeRecords())
				assert.Zero(t, tc.c.State().QuarantinedCount)
			}, "a/x", "a/y")
		})
	}
}

// A change during the reconcile that panics last is not lost.
func TestChangeDuringTheLastPanicIsReconciled(t *testing.T) {
	for _, max := range []int{1, 2} {
		runTestController(t, Options{MaxPanics: max, Backoff: Backoff{Base: time.Second}}, func(tc *testController, _ context.Context, req Request) (Result, error) {
			b, _ := tc.books.Get("a/x")
			tc.record("page %d", b.page)
			if b.page == 0 {
				<-time.After(time.Minute)
				panic("broken")
			}
			return Result{}, nil
		}, func(tc *testController) {
			tc.sleep(time.Duration(max)*time.Minute - time.Second + time.Duration(max-1)*time.Second)
			tc.put("a/x", 1)
			tc.sleep(time.Hour)
			seen := tc.takeRecords()
			assert.Contains(t, seen[len(seen)-1], "page 1", "MaxPanics %d: %v", max, seen)
			assert.Zero(t, tc.c.State().QuarantinedCount)
		}, "a/x")
	}
}

// Neither the resync nor an earlier RequeueAfter ends the quarantine.
func TestOnlyAChangeEndsQuarantine(t *testing.T) {
	for _, max := range []int{1, 2} {
		runTestController(t, Options{MaxPanics: max, Backoff: Backoff{Base: time.Second}, ResyncPeriod: time.Minute}, func(tc *testController, _ context.Context, req Request) (Result, error) {
			b, _ := tc.books.Get("x")
			if b.page > 0 {
				tc.record("page %d", b.page)
				panic("broken")
			}
			return Result{RequeueAfter: time.Hour}, nil
		}, func(tc *testController) {
			tc.put("x", 1)
			assert.Len(t, tc.takeRecords(), 1)
			tc.sleep(2 * time.Second)
			assert.Len(t, tc.takeRecords(), max-1)
			tc.put("x", 2)
			assert.Len(t, tc.takeRecords(), 1)
			tc.sleep(2 * time.Hour)
			assert.Empty(t, tc.takeRecords(), "MaxPanics %d", max)
		}, "x")
	}
}

// A negative MaxPanics disables the quarantine.
func TestNegativeMaxPanicsDisablesQuarantine(t *testing.T) {
	runTestController(t, Options{MaxPanics: -1, Backoff: Backoff{Base: time.Second, Max: time.Second}}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		panic("broken")
	}, func(tc *testController) {
		tc.sleep(20*time.Second + time.Millisecond)
		assert.Len(t, tc.takeRecords(), 21)
		assert.Zero(t, tc.c.State().QuarantinedCount)
	}, "a/x")
}

// The same failure of a key is logged again when its count has doubled, a different one at
// once. Up to five consecutive conflicts are not logged.
func TestRepeatedFailuresAreLoggedRarely(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "books"}, "x", errors.New("the object has been modified"))
	for _, tt := range []struct {
		name string
		err  func(n int) error
		want []int
	}{
		{"same error", func(int) error { return errors.New("failed") }, []int{1, 2, 4, 8, 16}},
		{"different error every ten calls", func(n int) error { return fmt.Errorf("failed %d", n/10) }, []int{1, 2, 4, 8, 10, 11, 13, 17, 20}},
		{"conflicts", func(int) error { return conflict }, []int{8, 16}},
	} {
		n := 0
		runTestController(t, Options{Backoff: Backoff{Base: time.Second, Max: time.Second}}, func(tc *testController, _ context.Context, _ Request) (Result, error) {
			n++
			return Result{}, tt.err(n)
		}, func(tc *testController) {
			tc.sleep(19 * time.Second)
			var at []int
			for _, line := range tc.logs.all() {
				var n int
				_, err := fmt.Sscanf(line[strings.Index(line, "failures="):], "failures=%d", &n)
				assert.NoError(t, err, line)
				assert.Contains(t, line, "level=ERROR")
				at = append(at, n)
			}
			assert.Equal(t, tt.want, at, tt.name)
		}, "a/x")
	}
}

// The delay doubles from Base to Max and does not overflow.
func TestBackoffDoubles(t *testing.T) {
	b := Backoff{Base: 5 * time.Millisecond, Max: 5 * time.Minute}
	assert.Equal(t, 5*time.Millisecond, b.after(1))
	assert.Equal(t, 10*time.Millisecond, b.after(2))
	assert.Equal(t, 5*time.Minute, b.after(17))
	assert.Equal(t, 5*time.Minute, b.after(1<<20))
	assert.Equal(t, time.Second, Backoff{Base: time.Minute, Max: time.Second}.after(1))
}

// The logger of a reconcile has the controller and the key.
func TestLoggerHasControllerAndKey(t *testing.T) {
	runTestController(t, Options{}, func(tc *testController, ctx context.Context, req Request) (Result, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		Logger(ctx).Info("reconciling")
		return Result{}, nil
	}, func(tc *testController) {
		assert.ElementsMatch(t, []string{
			"level=INFO msg=reconciling controller=books namespace=a name=x",
			"level=INFO msg=reconciling controller=books name=y",
		}, tc.logs.all())
	}, "a/x", "y")
	assert.Equal(t, slog.Default(), Logger(context.Background()))
}

// panickingError is an error whose nil pointer panics in Error.
type panickingError struct{ text string }

func (e *panickingError) Error() string { return e.text }

// An error whose Error method panics counts as a panic of the reconcile.
func TestErrorThatPanicsCountsAsPanic(t *testing.T) {
	runTestController(t, Options{MaxPanics: 3, Backoff: Backoff{Base: time.Second}}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		var none *panickingError
		return Result{}, none
	}, func(tc *testController) {
		tc.sleep(time.Hour)
		assert.Equal(t, []string{"0s x", "1s x", "3s x"}, tc.takeRecords())
		assert.Equal(t, uint64(3), tc.c.State().Panics)
		assert.ErrorContains(t, tc.c.State().Quarantined[0].Err, "nil pointer")
	}, "x")
}
