package behaviour

import (
	"context"
	"errors"
	"reflect"
	"time"

	"k8s.io/client-go/tools/cache"
)

// after is a DoneChecker that is done after a time.
type after struct {
	name string
	done chan struct{}
}

func doneAfter(name string, d time.Duration) after {
	a := after{name, make(chan struct{})}
	time.AfterFunc(d, func() { close(a.done) })
	return a
}

func (a after) Name() string          { return a.name }
func (a after) Done() <-chan struct{} { return a.done }
func (a after) synced() bool          { return cache.IsDone(a) }

func waits() []testCase {
	return []testCase{
		{name: "waits/for caches", run: func(s *scenario) {
			stop := make(chan struct{})
			s.printf("%v", cache.WaitForCacheSync(stop, doneAfter("a", time.Second).synced, doneAfter("b", 2*time.Second).synced))
			s.printf("%v", cache.WaitForCacheSync(stop))
			s.printf("%v", cache.WaitForNamedCacheSync("name", stop, doneAfter("c", time.Second).synced))
			s.printf("%v", cache.WaitForNamedCacheSyncWithContext(context.Background()))
			time.AfterFunc(time.Second, func() { close(stop) })
			s.printf("%v", cache.WaitForCacheSync(stop, func() bool { return false }))
			s.printf("%v", cache.WaitForNamedCacheSync("name", stop, func() bool { return false }))
			s.printf("stopped, and synced: %v", cache.WaitForCacheSync(stop, func() bool { return true }))
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			s.printf("%v", cache.WaitForNamedCacheSyncWithContext(ctx, func() bool { return false }))
		}},
		{name: "waits/delay", rows: "wait-polls", run: func(s *scenario) {
			for _, d := range []time.Duration{time.Millisecond, 30 * time.Millisecond, 101 * time.Millisecond} {
				before := s.now()
				cache.WaitForCacheSync(nil, doneAfter("a", d).synced)
				s.printf("after %v: within 20ms: %v", d, s.now()-before-d < 20*time.Millisecond)
			}
		}},
		{name: "waits/for DoneCheckers", run: func(s *scenario) {
			before := s.now()
			s.printf("%v", cache.WaitFor(context.Background(), "all", doneAfter("a", time.Second), doneAfter("b", 7*time.Millisecond)))
			s.printf("%v", s.now()-before)
			s.printf("%v", cache.WaitFor(context.Background(), ""))
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			s.printf("%v", cache.WaitFor(ctx, "never", doneAfter("a", time.Hour)))
			s.printf("%v %v", cache.IsDone(doneAfter("a", time.Hour)), cache.IsDone(closed{}))
			s.sleep(2 * time.Hour)
		}},
		{name: "waits/results", run: func(s *scenario) {
			s.printf("%v", cache.SyncResult{}.AsError() == nil)
			cause := errors.New("as planned")
			err := cache.SyncResult{Err: cause, Synced: map[reflect.Type]bool{reflect.TypeFor[int](): false, reflect.TypeFor[string](): true}}.AsError()
			s.printf("%v %v", err != nil, errors.Is(err, cause))
		}},
	}
}

type closed struct{}

func (closed) Name() string { return "closed" }
func (closed) Done() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
