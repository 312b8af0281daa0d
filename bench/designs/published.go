package designs

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/bench/corpus"
)

// published is the tries of trie, given out on demand: single writes change the
// nodes in place, and the first reader after them freezes the nodes. Without
// readers nothing is copied. If each write is followed by a read, it copies as much as trie.
//
// It weakens the promise: a read that comes after a single write may wait for
// the one that is under way. It never waits for a batch, which gives out what was
// there before it begins. And each write waits for a reader that freezes, though
// that is a copy of a few pointers.
type published struct {
	current atomic.Pointer[trieRoot]
	// behind is set when the writer has what current has not.
	behind atomic.Bool

	// writing makes writers take turns, and is never held by a reader.
	writing sync.Mutex
	// freezing guards writer while behind is set; a batch, which clears behind
	// first, has writer for itself.
	freezing sync.Mutex
	writer   trieWriter
}

// NewPublished is persistent tries, published on demand.
func NewPublished() Design {
	p := new(published)
	p.current.Store(new(trieRoot))
	return p
}

// root is the newest version, frozen if need be.
func (p *published) root() *trieRoot {
	if p.behind.Load() {
		p.freezing.Lock()
		defer p.freezing.Unlock()
		p.freeze()
	}
	return p.current.Load()
}

// freeze publishes what the single writes have changed. The caller has freezing.
func (p *published) freeze() {
	if p.behind.Load() {
		p.publish()
		p.behind.Store(false)
	}
}

func (p *published) publish() {
	done := p.writer.root
	p.current.Store(&done)
	p.writer.token++
}

func (p *published) single(change func(*trieWriter)) {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.freezing.Lock()
	defer p.freezing.Unlock()
	change(&p.writer)
	p.behind.Store(true)
}

func (p *published) batch(change func(*trieWriter)) {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.freezing.Lock()
	p.freeze()
	p.freezing.Unlock()
	change(&p.writer)
	p.publish()
}

func (p *published) Add(o *corpus.Object) {
	key, v := keyOf(o), valuesOf(o)
	p.single(func(w *trieWriter) { w.put(key, o, v) })
}

func (p *published) Update(o *corpus.Object) { p.Add(o) }

func (p *published) Delete(o *corpus.Object) {
	key := keyOf(o)
	p.single(func(w *trieWriter) { w.remove(key) })
}

func (p *published) Batch(objects []*corpus.Object) {
	p.batch(func(w *trieWriter) { w.putAll(objects) })
}

func (p *published) Replace(objects []*corpus.Object) {
	p.batch(func(w *trieWriter) {
		w.root = trieRoot{}
		w.putAll(objects)
	})
}

func (p *published) Get(key string) (*corpus.Object, bool) { return p.root().get(key) }

func (p *published) All() iter.Seq[*corpus.Object] {
	return func(yield func(*corpus.Object) bool) { p.root().all(yield) }
}

func (p *published) Find(index int, value string) iter.Seq[*corpus.Object] {
	return func(yield func(*corpus.Object) bool) { p.root().find(index, value, yield) }
}
