package informer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/internal/deep"
)

// MutationError is reported to a MutationGuard: code that reads the informer has
// modified a shared object. It names the field and never a value, since the object
// may be a Secret.
type MutationError struct {
	// Informer is the name of the informer, Key the key of the object.
	Informer, Key string
	// Field is the path of the modified field, by JSON names:
	// spec.containers[0].image, metadata.labels[app]. If several fields were
	// modified, it is one of them.
	Field string
}

func (e *MutationError) Error() string {
	return fmt.Sprintf("informer %s: cached object %s was modified at %s: objects are shared; modify a Clone instead",
		e.Informer, e.Key, e.Field)
}

// guardInterval is how often all objects are compared. guardRetention is how long
// objects are compared after they have left the store, since handlers are notified
// of them later.
const (
	guardInterval  = time.Second
	guardRetention = 10 * time.Second
)

// A guard detects modifications of stored objects by comparing each object with a
// private copy. A nil guard does nothing.
type guard[T any] struct {
	informer string
	report   func(error)

	mu     sync.Mutex
	stored map[string]*guardedObject[T]
	// removed are the objects that have left the store, oldest first.
	removed []*guardedObject[T]
}

// guardedObject is one object as it was when it was stored. The guard's mu guards
// it.
type guardedObject[T any] struct {
	key       string
	snapshot  deep.MutationCheck[T]
	removedAt time.Time
}

// newGuard returns nil if report is nil.
func newGuard[T any](informer string, report func(error)) *guard[T] {
	if report == nil {
		return nil
	}
	return &guard[T]{informer: informer, report: report, stored: map[string]*guardedObject[T]{}}
}

// beforeStore is called with the changes before they are visible to readers. Each
// change has its key.
func (g *guard[T]) beforeStore(changes []indexer.Change[T]) {
	if g == nil {
		return
	}
	for i := range changes {
		c := &changes[i]
		if c.Delete {
			g.replace(c.Key, nil)
			continue
		}
		g.replace(c.Key, &guardedObject[T]{key: c.Key, snapshot: deep.NewMutationCheck(c.Object)})
	}
}

// replace replaces the object of a key by entry, or removes it if entry is nil. It
// checks the previous object once more.
func (g *guard[T]) replace(key string, entry *guardedObject[T]) {
	g.mu.Lock()
	old := g.stored[key]
	if entry == nil {
		delete(g.stored, key)
	} else {
		g.stored[key] = entry
	}
	if old != nil {
		old.removedAt = time.Now()
		g.removed = append(g.removed, old)
	}
	g.mu.Unlock()
	if old != nil {
		g.check(old)
	}
}

// start checks all objects periodically until stop is called. stop checks them
// once more.
func (g *guard[T]) start() (stop func()) {
	if g == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { g.checkPeriodically(ctx) })
	return func() {
		cancel()
		watching.Wait()
		g.checkAll()
		g.releaseAll()
	}
}

func (g *guard[T]) checkPeriodically(ctx context.Context) {
	ticker := time.NewTicker(guardInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.checkAll()
			g.dropExpired()
		}
	}
}

func (g *guard[T]) checkAll() {
	for _, entry := range g.all() {
		g.check(entry)
	}
}

func (g *guard[T]) all() []*guardedObject[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*guardedObject[T], 0, len(g.stored)+len(g.removed))
	for _, entry := range g.stored {
		all = append(all, entry)
	}
	return append(all, g.removed...)
}

// check reports an object that was modified, and accepts the new state.
func (g *guard[T]) check(entry *guardedObject[T]) {
	g.mu.Lock()
	field, changed := entry.snapshot.Changed()
	if changed {
		entry.snapshot = deep.NewMutationCheck(entry.snapshot.Object())
	}
	g.mu.Unlock()
	if changed {
		g.report(&MutationError{Informer: g.informer, Key: entry.key, Field: field})
	}
}

// releaseAll drops all objects, since the store may be read long after Run.
func (g *guard[T]) releaseAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stored, g.removed = map[string]*guardedObject[T]{}, nil
}

// dropExpired drops objects that left the store more than guardRetention ago.
func (g *guard[T]) dropExpired() {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := 0
	for old < len(g.removed) && time.Since(g.removed[old].removedAt) > guardRetention {
		old++
	}
	clear(g.removed[:old])
	g.removed = g.removed[old:]
}
