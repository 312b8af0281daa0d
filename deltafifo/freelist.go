package deltafifo

import "sync"

// A freeList keeps parts for their next use: two magazines by itself, and more
// in a pool, from which the garbage collector takes what a backlog has left
// behind. Two, because with one a queue that works at the brim of it would go
// to the pool with every part.
type freeList[N any] struct {
	loaded, second *magazine[N]
	full, empty    sync.Pool // of *magazine[N]
}

type magazine[N any] struct {
	parts [256]*N
	n     int
}

func (f *freeList[N]) get() *N {
	if (f.loaded == nil || f.loaded.n == 0) && !f.load() {
		return new(N)
	}
	m := f.loaded
	m.n--
	n := m.parts[m.n]
	m.parts[m.n] = nil
	return n
}

// put takes a part back; the caller has cleared it.
func (f *freeList[N]) put(n *N) {
	if f.loaded == nil || f.loaded.n == len(f.loaded.parts) {
		f.unload()
	}
	f.loaded.parts[f.loaded.n] = n
	f.loaded.n++
}

// load replaces the empty magazine by one that is not, if there is one.
func (f *freeList[N]) load() bool {
	if f.second == nil || f.second.n == 0 {
		m, ok := f.full.Get().(*magazine[N])
		if !ok {
			return false
		}
		if f.second != nil {
			f.empty.Put(f.second)
		}
		f.second = m
	}
	f.loaded, f.second = f.second, f.loaded
	return true
}

// unload replaces the full magazine by one that is not.
func (f *freeList[N]) unload() {
	if f.second == nil || f.second.n == len(f.second.parts) {
		if f.second != nil {
			f.full.Put(f.second)
		}
		m, ok := f.empty.Get().(*magazine[N])
		if !ok {
			m = new(magazine[N])
		}
		f.second = m
	}
	f.loaded, f.second = f.second, f.loaded
}
