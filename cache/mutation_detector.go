// The work is done by package internal/deep, whose MutationCheck compares an object with its copy.

package cache

import (
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/deep"
)

// MutationDetector detects modifications of shared objects.
type MutationDetector interface {
	// AddObject checks obj for two minutes. It must not be modified during that
	// time. Tombstones are ignored.
	AddObject(obj any)
	// Run checks all objects once a second until stopCh is closed, and then
	// once more. It panics with an informer.MutationError when an object was
	// modified. The error contains the object and the field but no value.
	Run(stopCh <-chan struct{})
}

// mutationDetectorVariable is the environment variable of client-go.
const mutationDetectorVariable = "KUBE_CACHE_MUTATION_DETECTOR"

const (
	mutationInterval  = time.Second
	mutationRetention = 2 * time.Minute
)

// NewCacheMutationDetector returns a MutationDetector that does nothing unless
// the environment variable KUBE_CACHE_MUTATION_DETECTOR is true. It is meant
// for tests, because it keeps a copy of each object.
//
// A typed informer has Options.MutationGuard instead, which calls a function
// and need not panic.
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

func (noMutationDetector) AddObject(any) {}

func (noMutationDetector) Run(<-chan struct{}) {}

type mutationDetector struct {
	name string

	// mu is held while an object is checked.
	mu sync.Mutex
	// watched are the objects to check, oldest first.
	watched []watchedObject
}

type watchedObject struct {
	key      string
	snapshot deep.MutationCheck[any]
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
	watched := watchedObject{key: key, snapshot: deep.NewMutationCheck(obj), since: time.Now()}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watched = append(d.watched, watched)
}

func (d *mutationDetector) Run(stopCh <-chan struct{}) {
	ticker := time.NewTicker(mutationInterval)
	defer ticker.Stop()
	for {
		d.check()
		select {
		case <-stopCh:
			d.check()
			return
		case <-ticker.C:
		}
	}
}

func (d *mutationDetector) check() {
	for _, watched := range d.objectsToCheck() {
		d.mu.Lock()
		field, changed := watched.snapshot.Changed()
		d.mu.Unlock()
		if changed {
			panic(&informer.MutationError{Informer: d.name, Key: watched.key, Field: field})
		}
	}
}

// objectsToCheck returns the objects to check and drops those older than
// mutationRetention, which are checked for the last time.
func (d *mutationDetector) objectsToCheck() []watchedObject {
	d.mu.Lock()
	defer d.mu.Unlock()
	all, old := d.watched, 0
	for old < len(all) && time.Since(all[old].since) > mutationRetention {
		old++
	}
	if old > 0 {
		d.watched = append([]watchedObject(nil), all[old:]...)
	}
	return all
}
