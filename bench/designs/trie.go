package designs

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/bench/corpus"
)

// trie is persistent hash tries with nodes that the running batch owns: one from
// keys to objects, and for each index one from values to tries of the objects
// that have it. One pointer leads to all of it.
//
// It keeps the whole promise, readers are free to take as long as they like, and
// several questions can be asked of one version. It costs what comes with a
// pointer to the object in each index: every update changes them all, though the
// values are the same, and every change copies the path to it. This is
// also so if there are no readers, because a trie has no end to append at.
type trie struct {
	current atomic.Pointer[trieRoot]

	// mu makes writers take turns.
	mu     sync.Mutex
	writer trieWriter
}

type trieRoot struct {
	objects hamt[*corpus.Object]
	indexes [indexCount]hamt[hamt[*corpus.Object]]
}

// trieWriter makes the next root out of the last one.
type trieWriter struct {
	root trieRoot
	// token is the owner of the nodes that no reader can know of yet.
	token uint64
}

// NewTrie is persistent tries.
func NewTrie() Design {
	t := new(trie)
	t.current.Store(new(trieRoot))
	return t
}

func (t *trie) write(change func(*trieWriter)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writer.token++
	change(&t.writer)
	done := t.writer.root
	t.current.Store(&done)
}

func (t *trie) Add(o *corpus.Object) {
	key, v := keyOf(o), valuesOf(o)
	t.write(func(w *trieWriter) { w.put(key, o, v) })
}

func (t *trie) Update(o *corpus.Object) { t.Add(o) }

func (t *trie) Delete(o *corpus.Object) {
	key := keyOf(o)
	t.write(func(w *trieWriter) { w.remove(key) })
}

func (t *trie) Batch(objects []*corpus.Object) {
	t.write(func(w *trieWriter) { w.putAll(objects) })
}

func (t *trie) Replace(objects []*corpus.Object) {
	t.write(func(w *trieWriter) {
		w.root = trieRoot{}
		w.putAll(objects)
	})
}

func (w *trieWriter) put(key string, o *corpus.Object, v values) {
	h := hashOf(key)
	old, existed := w.root.objects.get(key, h)
	w.root.objects.set(key, h, o, w.token)
	var was values
	if existed {
		was = valuesOf(old)
	}
	for i := range v {
		if existed && was[i] != v[i] {
			w.unfile(i, was[i], key, h)
		}
		w.file(i, v[i], key, h, o)
	}
}

func (w *trieWriter) file(i int, value, key string, h uint64, o *corpus.Object) {
	hv := hashOf(value)
	set, ok := w.root.indexes[i].get(value, hv)
	root := set.root
	set.set(key, h, o, w.token)
	if !ok || set.root != root {
		w.root.indexes[i].set(value, hv, set, w.token)
	}
}

func (w *trieWriter) unfile(i int, value, key string, h uint64) {
	hv := hashOf(value)
	set, _ := w.root.indexes[i].get(value, hv)
	set.remove(key, h, w.token)
	if set.root == nil {
		w.root.indexes[i].remove(value, hv, w.token)
	} else {
		w.root.indexes[i].set(value, hv, set, w.token)
	}
}

func (w *trieWriter) putAll(objects []*corpus.Object) {
	for _, o := range objects {
		w.put(keyOf(o), o, valuesOf(o))
	}
}

func (w *trieWriter) remove(key string) {
	h := hashOf(key)
	old, existed := w.root.objects.get(key, h)
	if !existed {
		return
	}
	w.root.objects.remove(key, h, w.token)
	for i, value := range valuesOf(old) {
		w.unfile(i, value, key, h)
	}
}

func (t *trie) Get(key string) (*corpus.Object, bool) { return t.current.Load().get(key) }

func (t *trie) All() iter.Seq[*corpus.Object] {
	return func(yield func(*corpus.Object) bool) { t.current.Load().all(yield) }
}

func (t *trie) Find(index int, value string) iter.Seq[*corpus.Object] {
	return func(yield func(*corpus.Object) bool) { t.current.Load().find(index, value, yield) }
}

func (r *trieRoot) get(key string) (*corpus.Object, bool) { return r.objects.get(key, hashOf(key)) }

func (r *trieRoot) all(yield func(*corpus.Object) bool) { r.objects.each(visiting(yield)) }

func (r *trieRoot) find(index int, value string, yield func(*corpus.Object) bool) {
	if set, ok := r.indexes[index].get(value, hashOf(value)); ok {
		set.each(visiting(yield))
	}
}

func visiting(yield func(*corpus.Object) bool) func(string, *corpus.Object) bool {
	return func(_ string, o *corpus.Object) bool { return yield(o) }
}
