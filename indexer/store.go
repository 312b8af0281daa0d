package indexer

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// store is what an Indexer, its Readers, Snapshots and Indexes share: the
// shell around writer. It calls the user's functions before it takes its lock,
// and checks under the lock that nothing they depended on has changed.
type store[T any] struct {
	keyOf  func(T) (string, error)
	metaOf func(T) (types.UID, string) // nil: no uid and version rules
	log    *slog.Logger

	// current is the newest root: all that a reader needs.
	current atomic.Pointer[root[T]]
	// definitions are the indexes in the order in which they were added. A
	// writer must have the values of all of them for each object.
	definitions atomic.Pointer[[]*definition[T]]

	// mu makes writers take turns; readers never touch it.
	mu sync.Mutex
	// writer is ahead of current only while mu is held.
	writer writer[T]
}

func (s *store[T]) snapshot() Snapshot[T] { return Snapshot[T]{store: s, root: s.current.Load()} }

// lock takes mu if the indexes are still those that values were computed for.
func (s *store[T]) lock(definitions *[]*definition[T]) bool {
	s.mu.Lock()
	if s.definitions.Load() == definitions {
		return true
	}
	s.mu.Unlock()
	return false
}

// newer returns version, or "" if the store is at a newer one: single writes
// may come late, and do not set the store back.
func (s *store[T]) newer(version string) string {
	if isOlder(version, s.writer.root.version) {
		return ""
	}
	return version
}

// isOlder is false where nobody can say.
func isOlder(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}

// publish makes what the writer did visible, as version unless that is "".
func (s *store[T]) publish(version string) {
	if version != "" {
		s.writer.root.version = version
	}
	s.current.Store(s.writer.commit())
}

// set stores one object, unless the store has a newer version of it.
func (s *store[T]) set(obj T) error {
	key, err := s.key(obj)
	if err != nil {
		return err
	}
	s.setAs(key, obj, s.versionOf(obj))
	return nil
}

func (s *store[T]) setAs(key string, obj T, version string) {
	var room [4][]string
	definitions := s.definitions.Load()
	values := s.values(room[:0], *definitions, key, obj)
	for {
		seen := s.seen()
		if s.stale(seen, key, obj) {
			return
		}
		if !s.lock(definitions) {
			definitions = s.definitions.Load()
			values = s.values(room[:0], *definitions, key, obj)
			continue
		}
		if seen == nil || s.current.Load().holdsAs(seen, key) {
			break
		}
		s.mu.Unlock()
	}
	defer s.mu.Unlock()
	s.writer.begin()
	s.writer.put(key, obj, values)
	s.publish(s.newer(version))
}

// unset removes one object, unless the store has a newer version of it, or
// another object of that name.
func (s *store[T]) unset(obj T) error {
	key, err := s.key(obj)
	if err != nil {
		return err
	}
	version := s.versionOf(obj)
	for {
		seen := s.seen()
		if s.stale(seen, key, obj) || s.another(seen, key, obj) {
			return nil
		}
		s.mu.Lock()
		if seen == nil || s.current.Load().holdsAs(seen, key) {
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
	s.publish(s.newer(version))
}

// seen returns the root that decisions by uid and version are made on, nil
// where there are none to make.
func (s *store[T]) seen() *root[T] {
	if s.metaOf == nil {
		return nil
	}
	return s.current.Load()
}

// stored returns what seen has under key, and its slot.
func (s *store[T]) stored(seen *root[T], key string) (obj T, slot uint32, ok bool) {
	if seen == nil {
		return obj, 0, false
	}
	if slot, ok = seen.keys.find(key, hashOf(key)); ok {
		obj = seen.objects.get(slot, seen.keys.bound)
	}
	return obj, slot, ok
}

// stale reports whether obj is an older version of what seen has.
func (s *store[T]) stale(seen *root[T], key string, obj T) bool {
	stored, _, ok := s.stored(seen, key)
	if !ok {
		return false
	}
	uid, version := s.meta(obj)
	storedUID, storedVersion := s.meta(stored)
	if uid == "" || uid != storedUID {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, storedVersion)
	return err == nil && order < 0
}

// another reports whether seen has an object of that key with another uid.
func (s *store[T]) another(seen *root[T], key string, obj T) bool {
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

// meta asks MetaFunc. An ExplicitKey has no metadata to ask for.
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

// values appends what each index's function says of obj to room.
func (s *store[T]) values(room [][]string, definitions []*definition[T], key string, obj T) [][]string {
	for _, def := range definitions {
		room = append(room, s.valuesOf(def, key, obj))
	}
	return room
}

// valuesOf asks one index's function. A panic in it costs this object its
// entries in this index; the first one of each function is logged.
func (s *store[T]) valuesOf(def *definition[T], key string, obj T) (values []string) {
	defer func() {
		if reason := recover(); reason != nil {
			values = nil
			if def.panics.Add(1) == 1 {
				s.log.Error("An index function panicked; the object is not in that index. Further panics of this function are counted only.",
					"index", def.name, "key", key, "panic", reason, "stack", string(debug.Stack()))
			}
		}
	}()
	return distinct(def.values(obj))
}

// distinct returns values with each of them once.
func distinct(values []string) []string {
	if len(values) < 2 {
		return values
	}
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}
