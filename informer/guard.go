package informer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/thinformer/thinformer/indexer"
)

// MutationError is what a MutationGuard is told: an object that is shared by
// everybody who reads the informer was changed by one of them. It names what was
// changed, and never a value, for the object may be a secret.
type MutationError struct {
	// Informer is the informer's name, Key the object's.
	Informer, Key string
	// Field is where the object was changed, as it is written in its JSON:
	// spec.containers[0].image, metadata.labels[app]. Of several places it is
	// one.
	Field string
}

func (e *MutationError) Error() string {
	return fmt.Sprintf("informer %s: the cached object %s was changed at %s: objects are shared, and a Clone is what may be changed",
		e.Informer, e.Key, e.Field)
}

// How often all objects are looked at, and how long those are that have left the
// store: handlers are told of them a little later.
const (
	guardInterval = time.Second
	guardMemory   = 10 * time.Second
)

// A guard finds out whether anybody changes what is stored, by a copy of each
// object that nobody else has. A nil guard does nothing and costs nothing.
type guard[T any] struct {
	informer string
	report   func(error)

	mu     sync.Mutex
	stored map[string]*guarded[T]
	// left are those that have left the store, the oldest first.
	left []*guarded[T]
}

// guarded is one object, as it was when it was stored. It is guarded by the
// guard's mu.
type guarded[T any] struct {
	key      string
	snapshot Snapshot[T]
	leftAt   time.Time
}

// newGuard returns nil if nobody wants to know.
func newGuard[T any](informer string, report func(error)) *guard[T] {
	if report == nil {
		return nil
	}
	return &guard[T]{informer: informer, report: report, stored: map[string]*guarded[T]{}}
}

// storing is called with what is about to be stored, before anybody else can see
// it. Each change has its key.
func (g *guard[T]) storing(changes []indexer.Change[T]) {
	if g == nil {
		return
	}
	for i := range changes {
		c := &changes[i]
		if c.Delete {
			g.exchange(c.Key, nil)
			continue
		}
		g.exchange(c.Key, &guarded[T]{key: c.Key, snapshot: TakeSnapshot(c.Object)})
	}
}

// exchange puts the new object of a key, or none, in the place of the old one,
// which is looked at once more.
func (g *guard[T]) exchange(key string, entry *guarded[T]) {
	g.mu.Lock()
	old := g.stored[key]
	if entry == nil {
		delete(g.stored, key)
	} else {
		g.stored[key] = entry
	}
	if old != nil {
		old.leftAt = time.Now()
		g.left = append(g.left, old)
	}
	g.mu.Unlock()
	if old != nil {
		g.look(old)
	}
}

// start looks at all objects now and then, until stop is called, which does so
// once more.
func (g *guard[T]) start() (stop func()) {
	if g == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { g.watch(ctx) })
	return func() {
		cancel()
		watching.Wait()
		g.lookAtAll()
		g.letGo()
	}
}

func (g *guard[T]) watch(ctx context.Context) {
	ticker := time.NewTicker(guardInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.lookAtAll()
			g.forget()
		}
	}
}

func (g *guard[T]) lookAtAll() {
	for _, entry := range g.all() {
		g.look(entry)
	}
}

func (g *guard[T]) all() []*guarded[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*guarded[T], 0, len(g.stored)+len(g.left))
	for _, entry := range g.stored {
		all = append(all, entry)
	}
	return append(all, g.left...)
}

// look reports an object that was changed, and takes it from then on as it is.
func (g *guard[T]) look(entry *guarded[T]) {
	g.mu.Lock()
	field, changed := entry.snapshot.Changed()
	if changed {
		entry.snapshot = TakeSnapshot(entry.snapshot.Object())
	}
	g.mu.Unlock()
	if changed {
		g.report(&MutationError{Informer: g.informer, Key: entry.key, Field: field})
	}
}

// letGo: nobody looks any more, and the store may be read for long.
func (g *guard[T]) letGo() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stored, g.left = map[string]*guarded[T]{}, nil
}

// forget lets go of what has left the store long ago.
func (g *guard[T]) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := 0
	for old < len(g.left) && time.Since(g.left[old].leftAt) > guardMemory {
		old++
	}
	clear(g.left[:old])
	g.left = g.left[old:]
}
