package deltafifo

import "sync"

// A freeList keeps unused nodes: two blocks of its own, and more in a pool, from
// which the garbage collector frees the nodes of an earlier backlog. There are
// two blocks because with one, a queue whose size oscillates around a full block
// would access the pool for every node.
type freeList[N any] struct {
	current, second *block[N]
	full, empty     sync.Pool // of *block[N]
}

type block[N any] struct {
	nodes [64]*N
	n     int
}

func (f *freeList[N]) get() *N {
	if (f.current == nil || f.current.n == 0) && !f.nextFull() {
		return new(N)
	}
	b := f.current
	b.n--
	n := b.nodes[b.n]
	b.nodes[b.n] = nil
	return n
}

// put adds a node, which the caller has cleared.
func (f *freeList[N]) put(n *N) {
	if f.current == nil || f.current.n == len(f.current.nodes) {
		f.nextEmpty()
	}
	f.current.nodes[f.current.n] = n
	f.current.n++
}

// nextFull replaces the empty current block by one that is not empty, if there
// is one.
func (f *freeList[N]) nextFull() bool {
	if f.second == nil || f.second.n == 0 {
		b, ok := f.full.Get().(*block[N])
		if !ok {
			return false
		}
		if f.second != nil {
			f.empty.Put(f.second)
		}
		f.second = b
	}
	f.current, f.second = f.second, f.current
	return true
}

// nextEmpty replaces the full current block by one that is not full.
func (f *freeList[N]) nextEmpty() {
	if f.second == nil || f.second.n == len(f.second.nodes) {
		if f.second != nil {
			f.full.Put(f.second)
		}
		b, ok := f.empty.Get().(*block[N])
		if !ok {
			b = new(block[N])
		}
		f.second = b
	}
	f.current, f.second = f.second, f.current
}
