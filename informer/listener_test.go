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

// The state of a handler contains the start of its running callback and its backlog.
func TestHandlerStateHasRunningCallbackAndBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		e := &recorder{before: func(string) { time.Sleep(time.Minute) }}
		s.addHandler(e, HandlerOptions{Name: "slow"})
		s.addHandler(&recorder{}, HandlerOptions{})
		began := time.Now()
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		want := HandlerState{Name: "slow", Pending: 2, Since: began}
		if got := s.states()[0]; got != want {
			t.Errorf("during the first callback: %+v, want %+v", got, want)
		}
		want = HandlerState{Name: "*informer.recorder#2", Synced: true}
		if got := s.states()[1]; got != want {
			t.Errorf("the quick handler: %+v, want %+v", got, want)
		}
		time.Sleep(90 * time.Second)
		want = HandlerState{Name: "slow", Pending: 1, Since: began.Add(time.Minute)}
		if got := s.states()[0]; got != want {
			t.Errorf("during the second callback: %+v, want %+v", got, want)
		}
		time.Sleep(time.Minute)
		want = HandlerState{Name: "slow", Synced: true}
		if got := s.states()[0]; got != want {
			t.Errorf("after the callbacks: %+v, want %+v", got, want)
		}
		requireStop(t, s.processor)
	})
}

// A callback may add a handler, which receives the stored objects.
func TestHandlerMayAddHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		second := &recorder{}
		first := &recorder{before: func(call string) {
			if strings.HasPrefix(call, "add b") {
				s.addHandler(second, HandlerOptions{})
			}
		}}
		s.addHandler(first, HandlerOptions{})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		s.apply("b")
		first.requireCalls(t, "add a1 initial", "add b2")
		s.apply("a")
		second.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3")
		requireStop(t, s.processor)
	})
}

// A blocked handler delays neither other handlers nor distribute.
func TestBlockedHandlerDelaysNoOtherHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		_, _, free := s.addBlocked(HandlerOptions{})
		_, _, freeSecond := s.addBlocked(HandlerOptions{MaxPending: -1})
		e := &recorder{}
		s.addHandler(e, HandlerOptions{})
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
		freeSecond()
		requireStop(t, s.processor)
	})
}

// A Trace is called before and after each callback, and for each merge.
func TestTraceIsCalledForEachCallback(t *testing.T) {
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
		s := newTestProcessor(t)
		s.processor = newProcessor("test", StoreConfig[*item]{}.withDefaults(nil), nil, &Trace{Called: line("called"), Returned: line("returned"), Merged: line("merged")})
		gate := make(chan struct{})
		s.addHandler(&recorder{before: func(string) { <-gate }}, HandlerOptions{Name: "h", MaxPending: 1})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		s.apply("b")
		s.apply("b")
		s.apply("-a")
		synctest.Wait()
		close(gate)
		synctest.Wait()
		requireStop(t, s.processor)
		want := []string{
			`called test/h add "a"`, `merged test/h add "b"`, `returned test/h add "a"`,
			`called test/h add "b"`, `returned test/h add "b"`,
			`called test/h delete "a"`, `returned test/h delete "a"`,
		}
		if !slices.Equal(lines, want) {
			t.Errorf("trace:\n  %s\nwant:\n  %s", strings.Join(lines, "\n  "), strings.Join(want, "\n  "))
		}
	})
}

// With CrashOnPanic a panic ends the process, and its stack contains the callback.
func TestCrashOnPanicEndsTheProcess(t *testing.T) {
	const crashVariable = "INFORMER_TEST_CRASH"
	if os.Getenv(crashVariable) != "" {
		s := newTestProcessor(t)
		s.addHandler(&recorder{before: func(string) { panic("ouch") }}, HandlerOptions{Panic: CrashOnPanic})
		s.start()
		s.apply("a", "!")
		select {}
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	crash := exec.Command(executable, "-test.run=^TestCrashOnPanicEndsTheProcess$", "-test.timeout=60s")
	crash.Env = append(os.Environ(), crashVariable+"=1")
	out, err := crash.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: ouch") || !strings.Contains(string(out), "TestCrashOnPanicEndsTheProcess.func") {
		t.Errorf("the process ended with %v; its output has no panic with the callback on the stack:\n%s", err, out)
	}
}
