package cache

import (
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
)

// MutationDetector finds out whether anybody changes objects that are shared.
type MutationDetector interface {
	// AddObject has obj looked at from now on, for two minutes. Nobody may change
	// it meanwhile. A tombstone is not looked at.
	AddObject(obj any)
	// Run looks at all objects once a second until stopCh is closed, and then
	// once more. It panics when one was changed: with an informer.MutationError,
	// which names the object and the field, and never a value.
	Run(stopCh <-chan struct{})
}

// mutationDetectorVariable is client-go's switch.
const mutationDetectorVariable = "KUBE_CACHE_MUTATION_DETECTOR"

const (
	mutationInterval = time.Second
	mutationMemory   = 2 * time.Minute
)

// NewCacheMutationDetector makes a MutationDetector that looks at nothing unless
// the environment has KUBE_CACHE_MUTATION_DETECTOR=true: it is for tests, as each
// object is held twice.
//
// An informer of the typed room has a MutationGuard in its options instead, which
// is told and need not panic.
func NewCacheMutationDetector(name string) MutationDetector {
	if !mutationDetectorWanted() {
		return noMutationDetector{}
	}
	return &mutationDetector{name: name}
}

func mutationDetectorWanted() bool {
	wanted, err := strconv.ParseBool(os.Getenv(mutationDetectorVariable))
	return wanted && err == nil
}

type noMutationDetector struct{}

func (noMutationDetector) AddObject(any)       {}
func (noMutationDetector) Run(<-chan struct{}) {}

type mutationDetector struct {
	name string

	// mu is held while one object is looked at.
	mu sync.Mutex
	// watched are the objects that are looked at, the oldest first.
	watched []watchedObject
}

type watchedObject struct {
	key      string
	snapshot informer.Snapshot[any]
	since    time.Time
}

func (d *mutationDetector) AddObject(obj any) {
	switch obj.(type) {
	case nil, DeletedFinalStateUnknown, *DeletedFinalStateUnknown:
		return
	}
	key, err := indexer.MetaNamespaceKeyFunc(obj)
	if err != nil {
		key = "(without a key)"
	}
	watched := watchedObject{key: key, snapshot: informer.TakeSnapshot(obj), since: time.Now()}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watched = append(d.watched, watched)
}

func (d *mutationDetector) Run(stopCh <-chan struct{}) {
	ticker := time.NewTicker(mutationInterval)
	defer ticker.Stop()
	for {
		d.look()
		select {
		case <-stopCh:
			d.look()
			return
		case <-ticker.C:
		}
	}
}

func (d *mutationDetector) look() {
	for _, watched := range d.remembered() {
		d.mu.Lock()
		field, changed := watched.snapshot.Changed()
		d.mu.Unlock()
		if changed {
			panic(&informer.MutationError{Informer: d.name, Key: watched.key, Field: field})
		}
	}
}

// remembered is what is to be looked at: from then on without what is old, which
// is looked at for the last time.
func (d *mutationDetector) remembered() []watchedObject {
	d.mu.Lock()
	defer d.mu.Unlock()
	all, old := d.watched, 0
	for old < len(all) && time.Since(all[old].since) > mutationMemory {
		old++
	}
	if old > 0 {
		d.watched = append([]watchedObject(nil), all[old:]...)
	}
	return all
}
