package informer

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// What State says of a handler: what runs and since when, and what waits.
func TestHandlerState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		e := &ears{before: func(string) { time.Sleep(time.Minute) }}
		s.hear(e, HandlerOptions{Name: "slow"})
		s.hear(&ears{}, HandlerOptions{})
		began := time.Now()
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		want := HandlerState{Name: "slow", Pending: 2, Since: began}
		if got := s.states()[0]; got != want {
			t.Errorf("in the first callback: %+v, want %+v", got, want)
		}
		want = HandlerState{Name: "*informer.ears#2", Synced: true}
		if got := s.states()[1]; got != want {
			t.Errorf("the quick handler: %+v, want %+v", got, want)
		}
		time.Sleep(90 * time.Second)
		want = HandlerState{Name: "slow", Pending: 1, Since: began.Add(time.Minute)}
		if got := s.states()[0]; got != want {
			t.Errorf("in the second callback: %+v, want %+v", got, want)
		}
		time.Sleep(time.Minute)
		want = HandlerState{Name: "slow", Synced: true}
		if got := s.states()[0]; got != want {
			t.Errorf("at rest: %+v, want %+v", got, want)
		}
		stops(t, s.processor)
	})
}

// A callback may add a handler, which is told what is there.
func TestAHandlerAddsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		second := &ears{}
		first := &ears{before: func(call string) {
			if strings.HasPrefix(call, "add b") {
				s.hear(second, HandlerOptions{})
			}
		}}
		s.hear(first, HandlerOptions{})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		s.apply("b")
		first.want(t, "add a1 initial", "add b2")
		s.apply("a")
		second.want(t, "add a1 initial", "add b2 initial", "update a1 a3")
		stops(t, s.processor)
	})
}

// A handler that blocks for ever delays neither the others nor the one who
// distributes.
func TestABlockedHandlerDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		_, _, free := s.stuck(HandlerOptions{})
		_, _, freeToo := s.stuck(HandlerOptions{MaxPending: -1})
		e := &ears{}
		s.hear(e, HandlerOptions{})
		s.start()
		began := time.Now()
		s.apply("a", "!")
		for range 5000 {
			s.apply("a")
			synctest.Wait()
		}
		if n := len(e.all()); n != 5001 || time.Since(began) != 0 {
			t.Errorf("%d callbacks in %s, want 5001 at once", n, time.Since(began))
		}
		free()
		freeToo()
		stops(t, s.processor)
	})
}

// A Trace is told of each callback, before and after, and of what is merged.
func TestTraceOfCallbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var lines []string
		line := func(what string) func(TraceInfo) {
			return func(i TraceInfo) {
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, fmt.Sprintf("%s %s/%s %s %q", what, i.Informer, i.Handler, i.Event, i.Key))
			}
		}
		s := newStage(t)
		s.processor = newProcessor("stage", Parts[*item]{}.withDefaults(nil), nil, &Trace{Called: line("called"), Returned: line("returned"), Merged: line("merged")})
		gate := make(chan struct{})
		s.hear(&ears{before: func(string) { <-gate }}, HandlerOptions{Name: "h", MaxPending: 1})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		s.apply("b")
		s.apply("b")
		s.apply("-a")
		synctest.Wait()
		close(gate)
		synctest.Wait()
		stops(t, s.processor)
		want := []string{
			`called stage/h add "a"`, `merged stage/h add "b"`, `returned stage/h add "a"`,
			`called stage/h add "b"`, `returned stage/h add "b"`,
			`called stage/h delete "a"`, `returned stage/h delete "a"`,
		}
		if !slices.Equal(lines, want) {
			t.Errorf("traced\n  %s\nwant\n  %s", strings.Join(lines, "\n  "), strings.Join(want, "\n  "))
		}
	})
}

// With CrashOnPanic a panic ends the process, and the trace of the stack shows
// the callback.
func TestCrashOnPanic(t *testing.T) {
	const crashing = "INFORMER_TEST_CRASH"
	if os.Getenv(crashing) != "" {
		s := newStage(t)
		s.hear(&ears{before: func(string) { panic("ouch") }}, HandlerOptions{Panic: CrashOnPanic})
		s.start()
		s.apply("a", "!")
		select {}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	crash := exec.Command(self, "-test.run=^TestCrashOnPanic$", "-test.timeout=60s")
	crash.Env = append(os.Environ(), crashing+"=1")
	out, err := crash.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: ouch") || !strings.Contains(string(out), "TestCrashOnPanic.func") {
		t.Errorf("the process ended with %v: %s", err, out)
	}
}
