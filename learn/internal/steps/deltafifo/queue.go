package deltafifo

import (
	"context"
	"errors"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// object returns shop/NAME at a version.
func object(name, version string) stack.Object {
	return objectWithUID(name, version, "")
}

func objectWithUID(name, version, uid string) stack.Object {
	meta := metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version, UID: types.UID(uid)}
	return &stack.ConfigMap{ObjectMeta: meta}
}

// known is the store of the consumer: it has what has been processed.
type known struct {
	mu      sync.Mutex
	objects map[string]stack.Object
	slow    bool // Get lets other goroutines run
}

func (k *known) Get(key string) (stack.Object, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	object, found := k.objects[key]
	if k.slow {
		k.mu.Unlock()
		for range 100 {
			runtime.Gosched()
		}
		k.mu.Lock()
	}
	return object, found
}

func (k *known) List() []stack.Object {
	k.mu.Lock()
	defer k.mu.Unlock()
	var objects []stack.Object
	for _, key := range slices.Sorted(maps.Keys(k.objects)) {
		objects = append(objects, k.objects[key])
	}
	return objects
}

func (k *known) apply(key string, deltas []stack.Delta) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, delta := range deltas {
		if delta.Type == deltafifo.Deleted {
			delete(k.objects, key)
		} else {
			k.objects[key] = delta.Object
		}
	}
}

// queue is a queue under test with its consumer.
type queue struct {
	stack.Queue
	t     *judge.T
	known *known
}

func newQueue(t *judge.T, parts stack.Parts, objects ...stack.Object) *queue {
	known := &known{objects: map[string]stack.Object{}}
	for _, object := range objects {
		known.objects[stack.Key(object)] = object
	}
	q := parts.NewQueue(known)
	if q == nil {
		t.Fatalf("NewQueue returns nil")
	}
	return &queue{q, t, known}
}

func (q *queue) add(o stack.Object)    { q.write("Add", func() error { return q.Add(o) }) }
func (q *queue) update(o stack.Object) { q.write("Update", func() error { return q.Update(o) }) }
func (q *queue) delete(o stack.Object) { q.write("Delete", func() error { return q.Delete(o) }) }
func (q *queue) replace(objects ...stack.Object) {
	q.write("Replace", func() error { return q.Replace(items(nil, objects...), versionOfList) })
}

func (q *queue) write(call string, f func() error) {
	q.t.Unblocked(call, func() {
		if err := f(); err != nil {
			q.t.Errorf("%s returns the error %v", call, err)
		}
	})
}

func versionOfList() string { return "100" }

// items are the items of a list that ends with err.
func items(err error, objects ...stack.Object) iter.Seq2[stack.Object, error] {
	return func(yield func(stack.Object, error) bool) {
		for _, object := range objects {
			if !yield(object, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// A popping is a call of Pop.
type popping struct {
	key     string
	deltas  []stack.Delta
	initial bool
	called  bool // process has been called
	err     error
	ended   bool
}

// String returns, for example, "shop/a: Added a@1, Deleted a@2".
func (p *popping) String() string {
	if !p.called {
		return "nothing"
	}
	texts := make([]string, len(p.deltas))
	for i, delta := range p.deltas {
		texts[i] = delta.Type.String() + " "
		if delta.Object == nil {
			texts[i] += "without an object"
			continue
		}
		texts[i] += delta.Object.Name + "@" + delta.Object.ResourceVersion
		if delta.FinalStateUnknown {
			texts[i] += " (final state unknown)"
		}
	}
	return p.key + ": " + strings.Join(texts, ", ")
}

// run is Pop with a process function that calls during, if it is not nil, and then stores
// the changes in the known objects.
func (q *queue) run(ctx context.Context, p *popping, during func() error) {
	p.err = q.Pop(ctx, func(key string, deltas []stack.Delta, initial bool) (err error) {
		p.key, p.deltas, p.initial, p.called = key, slices.Clone(deltas), initial, true
		if during != nil {
			err = during()
		}
		if !slices.Equal(deltas, p.deltas) {
			q.t.Errorf("the changes of %v are other ones after a write while process runs: a write must not use their slice", p)
		}
		q.known.apply(key, p.deltas)
		return err
	})
	p.ended = true
}

// pop calls Pop.
func (q *queue) pop(during func() error) *popping {
	p := q.tryPop(during)
	if !p.called {
		q.t.Fatalf("Pop delivers nothing, although changes wait, and returns %v", p.err)
	}
	return p
}

// tryPop calls Pop with a context that ends.
func (q *queue) tryPop(during func() error) *popping {
	ctx, cancel := context.WithTimeout(q.t.Context(), time.Minute)
	defer cancel()
	p := new(popping)
	q.t.Unblocked("Pop, with a context that ends,", func() { q.run(ctx, p, during) })
	return p
}

// delivers fails unless Pop delivers these changes.
func (q *queue) delivers(after, want string) *popping {
	p := q.tryPop(nil)
	if p.String() != want {
		q.t.Fatalf("after %s, Pop delivers\n%v\nwant %s", after, p, want)
	}
	if p.err != nil {
		q.t.Fatalf("Pop returns the error %v, but process returned nil", p.err)
	}
	return p
}

// deliversByKey is delivers for several keys in any order.
func (q *queue) deliversByKey(after string, wants ...string) {
	for len(wants) > 0 {
		got := q.tryPop(nil).String()
		i := slices.Index(wants, got)
		if i < 0 {
			q.t.Fatalf("after %s, Pop delivers\n%s\nwant, in any order, %s", after, got, strings.Join(wants, "; "))
		}
		wants = slices.Delete(wants, i, i+1)
	}
	q.isEmpty(after)
}

// isEmpty fails if Pop delivers anything.
func (q *queue) isEmpty(after string) {
	p := q.tryPop(nil)
	if p.called {
		q.t.Fatalf("after %s, Pop delivers\n%v\nwant nothing more", after, p)
	}
	if !errors.Is(p.err, context.DeadlineExceeded) {
		q.t.Fatalf("Pop returns %v at the end of its context; want %v", p.err, context.DeadlineExceeded)
	}
}

// start calls Pop in a goroutine, and returns when it waits or process has been called.
// process then waits until release is closed.
func (q *queue) start(release <-chan struct{}) *popping {
	p := new(popping)
	q.t.Go("Pop", func() {
		q.run(q.t.Context(), p, func() error { <-release; return nil })
	})
	pass(time.Second)
	return p
}

// pass lets fake time pass, and waits until nothing happens any more.
func pass(duration time.Duration) {
	time.Sleep(duration)
	synctest.Wait()
}
