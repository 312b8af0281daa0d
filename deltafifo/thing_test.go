package deltafifo

import (
	"errors"
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// thing is what the tests queue: a value type, so that the queue cannot lean
// on pointers.
type thing struct {
	key         string
	uid         types.UID
	version     string
	verdict     verdict
	id          int // of the object that came in
	transformed bool
}

// verdict is what the transform of the tests has to say of a thing.
type verdict int

const (
	keep verdict = iota
	drop
	fail
	blow
)

var errTransform = errors.New("told to fail")

func (th thing) judged() (thing, bool, error) {
	switch th.verdict {
	case drop:
		return thing{}, false, nil
	case fail:
		return thing{}, true, errTransform
	case blow:
		panic(errTransform)
	}
	th.transformed = true
	return th, true, nil
}

func thingKey(th thing) (string, error) { return th.key, nil }

func thingMeta(th thing) (types.UID, string) { return th.uid, th.version }

// shelf is the consumer's store in the tests. Its keys come in order.
type shelf map[string]thing

func (s shelf) Get(key string) (thing, bool) {
	th, ok := s[key]
	return th, ok
}

func (s shelf) Keys() iter.Seq[string] { return slices.Values(slices.Sorted(maps.Keys(s))) }

func (s shelf) apply(deltas []Delta[thing]) {
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

func at(version string) func() string { return func() string { return version } }

// tryBegin is the first half of Pop (or PopBatch): it returns nil instead of
// waiting. finish is the other half.
func (q *DeltaFIFO[T]) tryBegin(batch bool, max int) *handout[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.request(batch, max)
	if !q.begin(h) {
		q.release(h)
		return nil
	}
	return h
}
