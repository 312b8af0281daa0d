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

// A key that has failed comes again, after waits that double up to the longest
// and begin anew when it has gone well; State says when and why.
func TestFailuresAreRetried(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	atDesk(t, Options{Backoff: Backoff{Base: time.Second, Max: 4 * time.Second}}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		if broken.Load() {
			return Result{RequeueAfter: time.Millisecond}, errors.New("no ink")
		}
		return Result{}, nil
	}, func(d *desk) {
		d.after(9 * time.Second)
		assert.Equal(t, []string{"0s a/x", "1s a/x", "3s a/x", "7s a/x"}, d.notes())
		s := d.c.State()
		assert.Len(t, s.Retrying, 1)
		assert.Equal(t, Failing{Request{"a", "x"}, 4, errors.New("no ink"), d.begin.Add(11 * time.Second)}, s.Retrying[0])
		assert.Equal(t, 1, s.RetryingCount)
		assert.Equal(t, []uint64{4, 4, 4}, []uint64{s.Reconciles, s.Errors, s.Retries})
		d.after(3 * time.Second)
		broken.Store(false)
		d.after(20 * time.Second)
		assert.Equal(t, []string{"11s a/x", "15s a/x"}, d.notes())
		assert.Empty(t, d.c.State().Retrying)
		broken.Store(true)
		d.put("a/x", 1)
		d.after(2 * time.Second)
		assert.Equal(t, []string{"32s a/x", "33s a/x"}, d.notes(), "the waits begin anew")
	}, "a/x")
}

// A terminal error, also one that is wrapped, is not repeated, and counts as an
// error; a change brings the key back.
func TestTerminalErrorsAreNotRetried(t *testing.T) {
	atDesk(t, Options{}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		return Result{}, fmt.Errorf("reading: %w", TerminalError(errors.New("not in this language")))
	}, func(d *desk) {
		d.after(time.Hour)
		assert.Equal(t, []string{"0s a/x"}, d.notes())
		assert.Equal(t, []string{`level=ERROR msg="Reconciling has failed, and is not repeated" controller=books namespace=a name=x err="reading: not in this language"`}, d.logs.all())
		d.put("a/x", 1)
		assert.Equal(t, []string{"1h0m0s a/x"}, d.notes())
		assert.Equal(t, uint64(2), d.c.State().Errors)
		assert.Zero(t, d.c.State().Retries)
	}, "a/x")
	assert.NoError(t, TerminalError(nil))
}

// RequeueAfter brings the key when it says, is no retry, and of two the earlier
// counts; a change comes at once.
func TestRequeueAfter(t *testing.T) {
	waits := []time.Duration{10 * time.Second, time.Minute, 0, -time.Second}
	atDesk(t, Options{}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		wait := waits[0]
		waits = append(waits[1:], 0)
		return Result{RequeueAfter: wait}, nil
	}, func(d *desk) {
		d.after(5 * time.Second)
		d.put("a/x", 1)
		d.after(time.Hour)
		assert.Equal(t, []string{"0s a/x", "5s a/x", "10s a/x"}, d.notes())
		assert.Zero(t, d.c.State().Retries)
		assert.Empty(t, d.c.State().Retrying)
		d.put("a/x", 2)
		d.after(time.Hour)
		assert.Len(t, d.notes(), 1)
	}, "a/x")
}

// A reconcile that panics, or ends its goroutine, costs itself: it is retried as
// an error is. After MaxPanics in a row only a change brings it back, once; State
// has it, other keys do not notice.
func TestPanicsAreQuarantined(t *testing.T) {
	for name, fail := range map[string]func(){
		"panic":  func() { panic("ink on the page") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			broken := true
			var quarantined []string
			atDesk(t, Options{
				MaxPanics: 3, Backoff: Backoff{Base: time.Second}, Sweep: time.Minute,
				Trace: &Trace{Quarantined: func(i TraceInfo, err error) {
					quarantined = append(quarantined, i.Request.String()+": "+err.Error())
				}},
			}, func(d *desk, _ context.Context, req Request) (Result, error) {
				if req.Name == "x" {
					d.note("%v", req)
					if broken {
						fail()
					}
				}
				return Result{}, nil
			}, func(d *desk) {
				d.after(time.Hour)
				assert.Equal(t, []string{"0s a/x", "1s a/x", "3s a/x"}, d.notes(), "neither retries nor the sweep bring it")
				s := d.c.State()
				assert.Equal(t, 1, s.QuarantinedCount)
				assert.Equal(t, Request{"a", "x"}, s.Quarantined[0].Request)
				assert.NotContains(t, s.Quarantined[0].Err.Error(), "goroutine 1", "without the stack")
				assert.Empty(t, s.Retrying)
				assert.Equal(t, uint64(3), s.Panics)
				assert.Greater(t, s.Reconciles, uint64(10), "the others go on")
				d.put("a/x", 1)
				d.after(time.Hour)
				assert.Equal(t, []string{"1h0m0s a/x"}, d.notes(), "one more try")
				assert.Len(t, quarantined, 2)
				broken = false
				d.put("a/x", 2)
				assert.Equal(t, []string{"2h0m0s a/x"}, d.notes())
				assert.Zero(t, d.c.State().QuarantinedCount)
			}, "a/x", "a/y")
		})
	}
}

// A change that comes while the last panic is on its way is not lost.
func TestAChangeDuringThePanic(t *testing.T) {
	for _, max := range []int{1, 2} {
		atDesk(t, Options{MaxPanics: max, Backoff: Backoff{Base: time.Second}}, func(d *desk, _ context.Context, req Request) (Result, error) {
			b, _ := d.books.Get("a/x")
			d.note("page %d", b.page)
			if b.page == 0 {
				<-time.After(time.Minute)
				panic("ink")
			}
			return Result{}, nil
		}, func(d *desk) {
			d.after(time.Duration(max)*time.Minute - time.Second + time.Duration(max-1)*time.Second)
			d.put("a/x", 1)
			d.after(time.Hour)
			seen := d.notes()
			assert.Contains(t, seen[len(seen)-1], "page 1", "MaxPanics %d: %v", max, seen)
			assert.Zero(t, d.c.State().QuarantinedCount)
		}, "a/x")
	}
}

// Neither the sweep nor a delay from before brings a key out of quarantine, also
// if the first panic was enough.
func TestNothingButAChangeEndsQuarantine(t *testing.T) {
	for _, max := range []int{1, 2} {
		atDesk(t, Options{MaxPanics: max, Backoff: Backoff{Base: time.Second}, Sweep: time.Minute}, func(d *desk, _ context.Context, req Request) (Result, error) {
			b, _ := d.books.Get("x")
			if b.page > 0 {
				d.note("page %d", b.page)
				panic("ink")
			}
			return Result{RequeueAfter: time.Hour}, nil
		}, func(d *desk) {
			d.put("x", 1)
			assert.Len(t, d.notes(), 1)
			d.after(2 * time.Second)
			assert.Len(t, d.notes(), max-1)
			d.put("x", 2)
			assert.Len(t, d.notes(), 1)
			d.after(2 * time.Hour)
			assert.Empty(t, d.notes(), "MaxPanics %d", max)
		}, "x")
	}
}

// A negative MaxPanics is no quarantine.
func TestNoQuarantine(t *testing.T) {
	atDesk(t, Options{MaxPanics: -1, Backoff: Backoff{Base: time.Second, Max: time.Second}}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		panic("ink")
	}, func(d *desk) {
		d.after(20*time.Second + time.Millisecond)
		assert.Len(t, d.notes(), 21)
		assert.Zero(t, d.c.State().QuarantinedCount)
	}, "a/x")
}

// The same failure of a key is logged when it has come twice as often as when it
// was logged last; another one at once. Conflicts are quiet unless they go on.
func TestTheSameFailureIsNotRepeatedEndlessly(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "books"}, "x", errors.New("somebody else was there"))
	for _, tt := range []struct {
		name string
		err  func(n int) error
		want []int
	}{
		{"the same", func(int) error { return errors.New("no ink") }, []int{1, 2, 4, 8, 16}},
		{"another in between", func(n int) error { return fmt.Errorf("no ink since %d", n/10) }, []int{1, 2, 4, 8, 10, 11, 13, 17, 20}},
		{"conflicts", func(int) error { return conflict }, []int{8, 16}},
	} {
		n := 0
		atDesk(t, Options{Backoff: Backoff{Base: time.Second, Max: time.Second}}, func(d *desk, _ context.Context, _ Request) (Result, error) {
			n++
			return Result{}, tt.err(n)
		}, func(d *desk) {
			d.after(19 * time.Second)
			var at []int
			for _, line := range d.logs.all() {
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

// The backoff doubles from Base to Max and does not overflow.
func TestBackoff(t *testing.T) {
	b := Backoff{Base: 5 * time.Millisecond, Max: 5 * time.Minute}
	assert.Equal(t, 5*time.Millisecond, b.after(1))
	assert.Equal(t, 10*time.Millisecond, b.after(2))
	assert.Equal(t, 5*time.Minute, b.after(17))
	assert.Equal(t, 5*time.Minute, b.after(1<<20))
	assert.Equal(t, time.Second, Backoff{Base: time.Minute, Max: time.Second}.after(1))
}

// The logger of a reconcile names controller and key.
func TestLogger(t *testing.T) {
	atDesk(t, Options{}, func(d *desk, ctx context.Context, req Request) (Result, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		Logger(ctx).Info("looking")
		return Result{}, nil
	}, func(d *desk) {
		assert.ElementsMatch(t, []string{
			"level=INFO msg=looking controller=books namespace=a name=x",
			"level=INFO msg=looking controller=books name=y",
		}, d.logs.all())
	}, "a/x", "y")
	assert.Equal(t, slog.Default(), Logger(context.Background()))
}

// blot is an error that can say nothing of itself where it is nil.
type blot struct{ page string }

func (b *blot) Error() string { return "ink on " + b.page }

// A nil pointer that is returned as an error costs the reconcile what a panic
// does, and not the process.
func TestAnErrorThatPanics(t *testing.T) {
	atDesk(t, Options{MaxPanics: 3, Backoff: Backoff{Base: time.Second}}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		var none *blot
		return Result{}, none
	}, func(d *desk) {
		d.after(time.Hour)
		assert.Equal(t, []string{"0s x", "1s x", "3s x"}, d.notes())
		assert.Equal(t, uint64(3), d.c.State().Panics)
		assert.ErrorContains(t, d.c.State().Quarantined[0].Err, "nil pointer")
	}, "x")
}
