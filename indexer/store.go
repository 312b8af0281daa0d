package indexer

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

// store is the common part of an Indexer and its Readers, Snapshots and
// Indexes. It calls user functions before it takes its lock. Under the lock it
// checks that nothing has changed on which their results depend.
type store[T any] struct {
	keyOf  func(T) (string, error)
	metaOf func(T) (types.UID, string) // nil: UIDs and versions are not compared
	log    *slog.Logger

	// current is the newest root. It has everything that a reader needs.
	current atomic.Pointer[root[T]]
	// definitions are the indexes in the order in which they were added. A
	// writer needs the values of all of them for each object.
	definitions atomic.Pointer[[]*indexDefinition[T]]

	// mu serializes writers. Readers do not use it.
	mu sync.Mutex
	// writer differs from current only while mu is held.
	writer writer[T]
}

func (s *store[T]) snapshot() Snapshot[T] { return Snapshot[T]{store: s, root: s.current.Load()} }

// lock takes mu if the indexes are still those for which values were computed,
// and reports whether it did.
func (s *store[T]) lock(definitions *[]*indexDefinition[T]) bool {
	s.mu.Lock()
	if s.definitions.Load() == definitions {
		return true
	}
	s.mu.Unlock()
	return false
}

// notOlder returns version, or "" if the version of the store is newer. A late
// single write must not set the version of the store back.
func (s *store[T]) notOlder(version string) string {
	if resourceversion.IsOlder(version, s.writer.root.version) {
		return ""
	}
	return version
}

// publish makes the changes of the writer visible. It sets the version of the
// store unless version is "".
func (s *store[T]) publish(version string) {
	if version != "" {
		s.writer.root.version = version
	}
	s.current.Store(s.writer.commit())
}

// publishWrite is publish after a write of objects, also one that changes nothing.
func (s *store[T]) publishWrite(version string) {
	s.writer.root.revision++
	s.publish(version)
}

// set stores an object, unless the store has a newer version of it.
func (s *store[T]) set(obj T) error {
	key, err := s.key(obj)
	if err != nil {
		return err
	}
	s.setAs(key, obj, s.versionOf(obj))
	return nil
}

func (s *store[T]) setAs(key string, obj T, version string) {
	var space [4][]string
	definitions := s.definitions.Load()
	values := s.values(space[:0], *definitions, key, obj)
	for {
		seen := s.rootToCompare()
		if s.isStale(seen, key, obj) {
			return
		}
		if !s.lock(definitions) {
			definitions = s.definitions.Load()
			values = s.values(space[:0], *definitions, key, obj)
			continue
		}
		if seen == nil || s.current.Load().unchangedSince(seen, key) {
			break
		}
		s.mu.Unlock()
	}
	defer s.mu.Unlock()
	s.writer.begin()
	s.writer.put(key, obj, values)
	s.publishWrite(s.notOlder(version))
}

// delete removes an object, unless the store has a newer version of it or
// another object with its key.
func (s *store[T]) delete(obj T) error {
	key, err := s.key(obj)
	if err != nil {
		return err
	}
	version := s.versionOf(obj)
	for {
		seen := s.rootToCompare()
		if s.isStale(seen, key, obj) || s.hasOtherUID(seen, key, obj) {
			return nil
		}
		s.mu.Lock()
		if seen == nil || s.current.Load().unchangedSince(seen, key) {
			break
		}
		s.mu.Unlock()
	}
	defer s.mu.Unlock()
	s.removeLocked(key, version)
	return nil
}

func (s *store[T]) removeLocked(key, version string) {
	s.writer.begin()
	s.writer.remove(key)
	s.publishWrite(s.notOlder(version))
}

// rootToCompare returns the root with which UIDs and versions are compared; nil
// if they are not compared.
func (s *store[T]) rootToCompare() *root[T] {
	if s.metaOf == nil {
		return nil
	}
	return s.current.Load()
}

// stored returns the object of a key in seen, and its slot.
func (s *store[T]) stored(seen *root[T], key string) (obj T, slot uint32, ok bool) {
	if seen == nil {
		return obj, 0, false
	}
	if slot, ok = seen.keys.find(key, hashOf(key)); ok {
		obj = seen.objects.get(slot, seen.keys.bound)
	}
	return obj, slot, ok
}

// isStale reports whether obj is an older version of the object in seen.
func (s *store[T]) isStale(seen *root[T], key string, obj T) bool {
	stored, _, ok := s.stored(seen, key)
	if !ok {
		return false
	}
	uid, version := s.meta(obj)
	storedUID, storedVersion := s.meta(stored)
	if uid == "" || uid != storedUID {
		return false
	}
	return resourceversion.IsOlder(version, storedVersion)
}

// hasOtherUID reports whether seen has an object with the same key and another
// UID.
func (s *store[T]) hasOtherUID(seen *root[T], key string, obj T) bool {
	stored, _, ok := s.stored(seen, key)
	if !ok {
		return false
	}
	uid, _ := s.meta(obj)
	storedUID, _ := s.meta(stored)
	return uid != "" && storedUID != "" && uid != storedUID
}

func (s *store[T]) versionOf(obj T) string {
	_, version := s.meta(obj)
	return version
}

// meta calls MetaFunc. An ExplicitKey has no metadata.
func (s *store[T]) meta(obj T) (types.UID, string) {
	if _, keyOnly := any(obj).(ExplicitKey); keyOnly || s.metaOf == nil {
		return "", ""
	}
	return s.metaOf(obj)
}

func (s *store[T]) key(obj T) (string, error) {
	key, err := s.keyOf(obj)
	if err == nil && key == "" {
		err = ErrNoKey
	}
	if err != nil {
		return "", newKeyError(obj, err)
	}
	return key, nil
}

// values appends the values of obj in each index to list.
func (s *store[T]) values(list [][]string, definitions []*indexDefinition[T], key string, obj T) [][]string {
	for _, def := range definitions {
		list = append(list, s.valuesOf(def, key, obj))
	}
	return list
}

// valuesOf calls the function of one index. If it panics, the object has no
// entries in this index. The first panic of each function is logged.
func (s *store[T]) valuesOf(def *indexDefinition[T], key string, obj T) (values []string) {
	defer func() {
		if reason := recover(); reason != nil {
			values = nil
			if def.panics.Add(1) == 1 {
				s.log.Error("An index function panicked: the object is not in the index. Further panics of this function are only counted.",
					"index", def.name, "key", key, "panic", reason, "stack", string(debug.Stack()))
			}
		}
	}()
	return deduplicate(def.values(obj))
}

// deduplicate returns values without duplicates.
func deduplicate(values []string) []string {
	if len(values) < 2 {
		return values
	}
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}
