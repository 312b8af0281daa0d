package deltafifo

import (
	"errors"
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// testObject is the object type of most tests: a value type, so that the queue
// cannot depend on pointers.
type testObject struct {
	key         string
	uid         types.UID
	version     string
	outcome     outcome
	id          int // of the incoming object; the transform keeps it
	transformed bool
}

// outcome is the result of transforming a testObject.
type outcome int

const (
	keep outcome = iota
	drop
	fails
	panics
)

var errTransform = errors.New("deliberate failure")

func (obj testObject) transform() (testObject, bool, error) {
	switch obj.outcome {
	case drop:
		return testObject{}, false, nil
	case fails:
		return testObject{}, true, errTransform
	case panics:
		panic(errTransform)
	}
	obj.transformed = true
	return obj, true, nil
}

func objectKey(obj testObject) (string, error) { return obj.key, nil }

func objectMeta(obj testObject) (types.UID, string) { return obj.uid, obj.version }

// mapStore is the consumer's store in the tests. Keys yields its keys sorted.
type mapStore map[string]testObject

func (s mapStore) Get(key string) (testObject, bool) {
	obj, ok := s[key]
	return obj, ok
}

func (s mapStore) Keys() iter.Seq[string] { return slices.Values(slices.Sorted(maps.Keys(s))) }

func (s mapStore) apply(deltas []Delta[testObject]) {
	for _, d := range deltas {
		if d.Type == Deleted {
			delete(s, d.Key)
		} else {
			s[d.Key] = d.Object
		}
	}
}

func listOf[T any](items ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

func versionFunc(version string) func() string { return func() string { return version } }

// tryBegin is the first half of Pop or PopBatch, but returns nil instead of
// waiting. finish is the second half.
func (q *DeltaFIFO[T]) tryBegin(batch bool, max int) *delivery[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	d := q.newDelivery(batch, max)
	if !q.begin(d) {
		q.release(d)
		return nil
	}
	return d
}
