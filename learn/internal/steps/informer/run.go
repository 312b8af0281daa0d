package informer

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkRun(t *judge.T, parts stack.Parts) {
	failure := errors.New("the source is gone")
	for _, want := range []error{failure, nil} {
		i := newInformer(t, parts, nil, nil)
		i.handle(newRecorder())
		var calls atomic.Int32
		i.run(func(context.Context) error {
			calls.Add(1)
			i.replace(object("a", "1"))
			time.Sleep(time.Minute)
			return want
		})
		if i.ended.Load() {
			t.Fatalf("Run returns %v while reflect runs", i.err)
		}
		if got := len(i.indexer.List()); got != 1 {
			t.Fatalf("reflect has written an object to the queue, and the indexer has %d objects: Run must process changes while reflect runs", got)
		}
		pass(time.Hour)
		if !i.ended.Load() {
			t.Fatalf("Run does not return after reflect has returned %v", want)
		}
		if !errors.Is(i.err, want) {
			t.Fatalf("reflect returns %v, and Run returns %v", want, i.err)
		}
		if got := calls.Load(); got != 1 {
			t.Fatalf("Run calls reflect %d times, want once: reflect itself goes on after a failure of the source", got)
		}
	}

	i := newInformer(t, parts, nil, nil)
	i.handle(newRecorder())
	i.stop(i.run(func(ctx context.Context) error { <-ctx.Done(); return failure }))
	if !errors.Is(i.err, failure) {
		t.Fatalf("the context of Run ends, reflect returns %q, and Run returns %v", failure, i.err)
	}
}

func checkEnd(t *judge.T, parts stack.Parts) {
	endWith(t, parts, 2*time.Second, false)
	endWith(t, parts, 20*time.Second, false)
	endWith(t, parts, 20*time.Second, true)
}

// endWith ends the context while a handler is called, which takes a time. The handler is
// added before Run or while it runs. reflect goes on for 10 seconds.
func endWith(t *judge.T, parts stack.Parts, handling time.Duration, late bool) {
	i := newInformer(t, parts, nil, nil)
	var reflectEnded, handlerEnded atomic.Bool
	r := newRecorder()
	r.during = func(string) { time.Sleep(handling); handlerEnded.Store(true) }
	if !late {
		i.handle(r)
	}
	cancel := i.run(func(ctx context.Context) error {
		<-ctx.Done()
		time.Sleep(10 * time.Second)
		reflectEnded.Store(true)
		return ctx.Err()
	})
	if late {
		i.handle(r)
	}
	_ = i.queue.Add(object("a", "1"))
	settle()
	cancel()
	pass(5 * time.Second)
	if i.ended.Load() {
		t.Fatalf("the context of Run has ended, and Run returns while reflect is running")
	}
	pass(10 * time.Second)
	if !reflectEnded.Load() {
		t.Fatalf("the context of reflect does not end with that of Run")
	}
	if i.ended.Load() && !handlerEnded.Load() {
		when := "before Run"
		if late {
			when = "after Run had begun"
		}
		t.Fatalf("the context of Run has ended, and Run returns while a handler is running, which was added %s", when)
	}
	pass(time.Hour)
	if !i.ended.Load() {
		t.Fatalf("Run does not return after reflect and the running call of a handler have returned")
	}

	calls := len(r.calls)
	afterwards := i.handle(newRecorder())
	_ = i.queue.Add(object("b", "2"))
	pass(time.Hour)
	if len(r.calls) != calls {
		t.Fatalf("a handler is called after Run has returned: %s", r.calls[len(r.calls)-1])
	}
	if got := afterwards.received(); got != "nothing" {
		t.Fatalf("a handler that is added after Run has returned receives\n%s", got)
	}
}
