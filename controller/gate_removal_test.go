package controller

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A source that is added while another source of the same informer is being removed has
// its writes waited for.
func TestGateOfSourceAddedDuringRemoval(t *testing.T) {
	nothing := func(*testController, context.Context, Request) (Result, error) { return Result{}, nil }
	runTestController(t, Options{}, nothing, func(tc *testController) {
		other, _ := newFakeSource("x").runInformer(tc.T)
		none := func(*book) []Request { return nil }
		watch := Watches(tc.c, other, none)
		synctest.Wait()
		detach := tc.c.dropSource(watch) // the first half of Remove
		Watches(tc.c, other, none)
		synctest.Wait()
		detach()
		synctest.Wait()
		r := tc.c.current
		if r.gate.informerOf(other) == nil {
			tc.Error("the gate does not know the informer, so that writes are not waited for")
		}
		if n := len(other.State().Handlers); n != 1 {
			tc.Errorf("the informer has %d handlers, want that of the new watch", n)
		}
	}, "a")
}

// removedWhileAttaching is a watch that is removed just before its handler is added.
type removedWhileAttaching struct{ *Watch[*book] }

func (s removedWhileAttaching) attach(r *run) (attachedSource, error) {
	s.c.removeSource(s)
	attached, err := s.Watch.attach(r)
	time.Sleep(time.Second) // the handler receives the initial objects
	return attached, err
}

// A watch that is removed while it is attached is detached. Its callbacks up to then do
// not panic.
func TestWatchRemovedWhileAttaching(t *testing.T) {
	nothing := func(*testController, context.Context, Request) (Result, error) { return Result{}, nil }
	runTestController(t, Options{}, nothing, func(tc *testController) {
		other, _ := newFakeSource("x").runInformer(tc.T)
		mapped := 0
		tc.c.add(removedWhileAttaching{&Watch[*book]{c: tc.c, inf: other, mapping: func(*book) []Request {
			mapped++
			return nil
		}}})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if mapped != 1 {
			tc.Errorf("the mapping was called %d times, want 1", mapped)
		}
		if n := len(other.State().Handlers); n != 0 {
			tc.Errorf("the informer has %d handlers, want none", n)
		}
	}, "a")
}
