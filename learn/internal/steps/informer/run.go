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
		i.run(func(context.Context) error {
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
	}

	i := newInformer(t, parts, nil, nil)
	i.handle(newRecorder())
	i.stop(i.run(untilDone))
	if !errors.Is(i.err, context.Canceled) {
		t.Fatalf("the context of Run ends, reflect returns its error, and Run returns %v", i.err)
	}
}

func checkEnd(t *judge.T, parts stack.Parts) {
	i := newInformer(t, parts, nil, nil)
	var reflectEnded, handlerEnded atomic.Bool
	r := newRecorder()
	r.during = func(string) { time.Sleep(20 * time.Second); handlerEnded.Store(true) }
	i.handle(r)
	cancel := i.run(func(ctx context.Context) error {
		<-ctx.Done()
		time.Sleep(10 * time.Second)
		reflectEnded.Store(true)
		return ctx.Err()
	})
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
		t.Fatalf("the context of Run has ended, and Run returns while a handler is running")
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
