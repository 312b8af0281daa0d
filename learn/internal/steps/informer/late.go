package informer

import (
	"runtime"
	"strconv"
	"sync"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// hooked is an indexer that calls a function at the moments at which a handler may be
// added, or a change may happen.
type hooked struct {
	stack.Indexer
	mu   sync.Mutex
	hook func(moment string)
}

func (x *hooked) at(moment string) {
	x.mu.Lock()
	hook := x.hook
	x.mu.Unlock()
	if hook != nil {
		hook(moment)
	}
}

func (x *hooked) set(hook func(moment string)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hook = hook
}

func (x *hooked) Get(key string) (stack.Object, bool) {
	defer x.at("after Get")
	return x.Indexer.Get(key)
}

func (x *hooked) Apply(set []stack.Object, remove []string) {
	x.at("before Apply")
	x.Indexer.Apply(set, remove)
	x.at("after Apply")
}

func (x *hooked) List() []stack.Object {
	x.at("before List")
	defer x.at("after List")
	return x.Indexer.List()
}

// pause lets the other goroutines of the solution run as far as they can. It does not
// wait for them: they may wait for a mutex of the solution that the caller holds.
func pause() {
	for range 2000 {
		runtime.Gosched()
	}
}

// checkLate adds a handler while a change is processed, and changes an object while a
// handler is added.
func checkLate(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		moment string
		inLoop bool // the moment is in the loop, not in AddEventHandler
	}{
		{"after Get", true}, {"before Apply", true}, {"after Apply", true},
		{"before List", false}, {"after List", false},
	} {
		for _, write := range []struct {
			name string
			call func(stack.Queue) error
		}{
			{"Add c@9", func(q stack.Queue) error { return q.Add(object("c", "9")) }},
			{"Update a@9", func(q stack.Queue) error { return q.Update(object("a", "9")) }},
			{"Delete b@9", func(q stack.Queue) error { return q.Delete(object("b", "9")) }},
		} {
			l := &late{test.moment, write.name, newRecorder(), nil}
			x := new(hooked)
			l.informer = newInformer(t, parts, nil, func(inner stack.Indexer) stack.Indexer { x.Indexer = inner; return x })
			l.begin(x, func() { _ = write.call(l.queue) }, test.inLoop)
			l.check()
		}
	}
}

// late is a handler that is added at a moment of a change.
type late struct {
	moment, write string
	recorder      *recorder
	*informer
}

func (l *late) begin(x *hooked, write func(), inLoop bool) {
	x.Apply([]stack.Object{object("a", "1"), object("b", "1")}, nil)
	cancel := l.run(untilDone)
	l.t.Cleanup(cancel)
	added := make(chan struct{})
	add := func() {
		defer close(added)
		l.AddEventHandler(l.recorder)
	}
	var once sync.Once
	x.set(func(moment string) {
		if moment != l.moment {
			return
		}
		once.Do(func() {
			if inLoop {
				l.t.Go("AddEventHandler", add)
			} else {
				write()
			}
			pause()
		})
	})
	if inLoop {
		write()
	} else {
		l.t.Go("AddEventHandler", add)
	}
	settle()
	x.set(nil)
	select {
	case <-added:
	default:
		l.t.Fatalf("AddEventHandler does not return, while %s is processed", l.write)
	}
	for n := range 3 {
		_ = l.queue.Add(object("d", strconv.Itoa(n)))
		settle()
	}
	l.stop(cancel)
}

// check compares what the handler has received with the indexer.
func (l *late) check() {
	if l.recorder.wrong != "" {
		l.t.Fatalf("a handler is added while %s is processed (%s), and receives\n%s\nA change is received twice or has been lost", l.write, l.moment, l.recorder.wrong)
	}
	objects := l.indexer.List()
	for _, want := range objects {
		if got := l.recorder.objects[stack.Key(want)]; got != want {
			l.t.Fatalf("a handler is added while %s is processed (%s); at the end\nthe indexer has %s and the handler has %s: an object or a change was lost",
				l.write, l.moment, text(want), stored(got))
		}
	}
	if len(l.recorder.objects) != len(objects) {
		l.t.Fatalf("a handler is added while %s is processed (%s), and has %d objects at the end; the indexer has %d",
			l.write, l.moment, len(l.recorder.objects), len(objects))
	}
}
