package designs

import (
	"iter"
	"sync"

	"github.com/thinformer/thinformer/bench/corpus"
)

// locked is Go maps under a lock: nothing is ever copied to write, so no other
// design writes faster.
//
// It breaks the promise. A read waits for the writer, for the whole of a batch
// or a Replace, and the writer waits for every read. To let the writer go before
// the caller's loop runs, a read copies what it found, which is an allocation of
// the size of the answer each time.
type locked struct {
	mu    sync.RWMutex
	items map[string]*lockedItem
	all   lockedSet
	// indexes has no empty sets.
	indexes [indexCount]map[string]*lockedSet
}

// lockedItem stands for an object in the sets, so that an update which leaves
// the values alone touches none of them.
type lockedItem struct {
	object *corpus.Object
	values values
	// at is the place in the set of each index, and last in all.
	at [indexCount + 1]int
}

// lockedSet is a slice whose members know their places.
type lockedSet struct{ items []*lockedItem }

func (s *lockedSet) add(item *lockedItem, which int) {
	item.at[which] = len(s.items)
	s.items = append(s.items, item)
}

func (s *lockedSet) remove(item *lockedItem, which int) {
	last := len(s.items) - 1
	moved := s.items[last]
	s.items[item.at[which]] = moved
	moved.at[which] = item.at[which]
	s.items[last] = nil
	s.items = s.items[:last]
}

// NewLocked is maps under a lock.
func NewLocked() Design {
	l := new(locked)
	l.clear(0)
	return l
}

func (l *locked) clear(capacity int) {
	l.items = make(map[string]*lockedItem, capacity)
	l.all = lockedSet{}
	for i := range l.indexes {
		l.indexes[i] = map[string]*lockedSet{}
	}
}

func (l *locked) Add(o *corpus.Object) {
	key, v := keyOf(o), valuesOf(o)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(key, o, v)
}

func (l *locked) Update(o *corpus.Object) { l.Add(o) }

func (l *locked) put(key string, o *corpus.Object, v values) {
	item := l.items[key]
	if item == nil {
		item = &lockedItem{object: o, values: v}
		l.items[key] = item
		l.all.add(item, indexCount)
		for i := range v {
			l.file(item, i)
		}
		return
	}
	item.object = o
	for i := range v {
		if item.values[i] != v[i] {
			l.unfile(item, i)
			item.values[i] = v[i]
			l.file(item, i)
		}
	}
}

func (l *locked) file(item *lockedItem, i int) {
	set := l.indexes[i][item.values[i]]
	if set == nil {
		set = new(lockedSet)
		l.indexes[i][item.values[i]] = set
	}
	set.add(item, i)
}

func (l *locked) unfile(item *lockedItem, i int) {
	set := l.indexes[i][item.values[i]]
	set.remove(item, i)
	if len(set.items) == 0 {
		delete(l.indexes[i], item.values[i])
	}
}

func (l *locked) Delete(o *corpus.Object) {
	key := keyOf(o)
	l.mu.Lock()
	defer l.mu.Unlock()
	item := l.items[key]
	if item == nil {
		return
	}
	delete(l.items, key)
	l.all.remove(item, indexCount)
	for i := range item.values {
		l.unfile(item, i)
	}
}

func (l *locked) Batch(objects []*corpus.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.putAll(objects)
}

func (l *locked) Replace(objects []*corpus.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear(len(objects))
	l.putAll(objects)
}

func (l *locked) putAll(objects []*corpus.Object) {
	for _, o := range objects {
		l.put(keyOf(o), o, valuesOf(o))
	}
}

func (l *locked) Get(key string) (*corpus.Object, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if item := l.items[key]; item != nil {
		return item.object, true
	}
	return nil, false
}

func (l *locked) All() iter.Seq[*corpus.Object] {
	return l.copied(func() *lockedSet { return &l.all })
}

func (l *locked) Find(index int, value string) iter.Seq[*corpus.Object] {
	return l.copied(func() *lockedSet { return l.indexes[index][value] })
}

// copied yields what was in a set when the iteration began.
func (l *locked) copied(of func() *lockedSet) iter.Seq[*corpus.Object] {
	return func(yield func(*corpus.Object) bool) {
		for _, o := range l.copy(of) {
			if !yield(o) {
				return
			}
		}
	}
}

func (l *locked) copy(of func() *lockedSet) []*corpus.Object {
	l.mu.RLock()
	defer l.mu.RUnlock()
	set := of()
	if set == nil {
		return nil
	}
	objects := make([]*corpus.Object, len(set.items))
	for i, item := range set.items {
		objects[i] = item.object
	}
	return objects
}
