package informer

// pending is what waits for a handler that has fallen behind, merged so that
// it is no more than two notifications for each key:
//
//	what waits   comes     becomes
//	Add          Update    Add of the new state
//	Update       Update    Update from the oldest old to the newest new state
//	Add          Delete    nothing
//	Update       Delete    Delete of the last state, the oldest old before it
//	Delete       Add       both, in order
//	Delete+Add   Update    Delete, and Add of the new state
//	Delete+Add   Delete    the first Delete
//
// A notification keeps the place of the first that went into it, and the flag
// of the initial list that the Add had. A Delete keeps its own object and its
// own finalStateUnknown: what is merged into a Delete was seen no later than
// it. The mark synced, of which there is one, has a key that no object has: it
// is merged with nothing, and what waits before it stays before it.
type pending[T any] struct {
	// items are what waits, in order, from head on. A hole has kind 0.
	items []notification[T]
	head  int
	// first is the number of items[0]; numbers are never used twice.
	first uint64
	// live is how many of items are neither taken nor holes.
	live int
	// places are where the keys have what waits for them.
	places map[string]places
}

// places are the numbers of the items of a key: the oldest and the newest,
// which are the same where only one waits. Where two wait they are a Delete
// and an Add.
type places struct{ oldest, newest uint64 }

func (p *pending[T]) len() int { return p.live }

// fold files n, and returns how many notifications there are fewer than if n
// waited by itself.
func (p *pending[T]) fold(n *notification[T]) (merged int) {
	at, waits := p.places[n.key]
	if !waits {
		number := p.push(n)
		p.place(n.key, places{number, number})
		return 0
	}
	newest := &p.items[at.newest-p.first]
	switch {
	case newest.kind == deleted:
		p.place(n.key, places{at.newest, p.push(n)})
		return 0
	case n.kind != deleted:
		newest.new = n.new
		return 1
	case newest.kind == updated:
		old := newest.old
		*newest = *n
		newest.old = old
		return 1
	}
	*newest = notification[T]{}
	p.live--
	if at.oldest == at.newest {
		delete(p.places, n.key)
	} else {
		p.places[n.key] = places{at.oldest, at.oldest}
	}
	p.tidy()
	return 2
}

// newest is what waits for a key, of two the one that came last.
func (p *pending[T]) newest(key string) (n notification[T], waits bool) {
	at, waits := p.places[key]
	if waits {
		n = p.items[at.newest-p.first]
	}
	return n, waits
}

func (p *pending[T]) push(n *notification[T]) (number uint64) {
	p.items = append(p.items, *n)
	p.live++
	return p.first + uint64(len(p.items)-1)
}

func (p *pending[T]) place(key string, at places) {
	if p.places == nil {
		p.places = map[string]places{}
	}
	p.places[key] = at
}

// take appends the oldest, at most so many, to run, and lets go of them.
func (p *pending[T]) take(run []notification[T], most int) []notification[T] {
	for ; most > 0 && p.live > 0; p.head++ {
		item := &p.items[p.head]
		if item.kind == 0 {
			continue
		}
		p.release(item.key, p.first+uint64(p.head))
		run = append(run, *item)
		*item = notification[T]{}
		p.live--
		most--
	}
	p.tidy()
	return run
}

// release forgets that the item of this number waits for key.
func (p *pending[T]) release(key string, number uint64) {
	switch at, waits := p.places[key]; {
	case !waits || at.oldest != number:
	case at.newest != number:
		p.places[key] = places{at.newest, at.newest}
	default:
		delete(p.places, key)
	}
}

// tidy makes room when holes and what was taken are the larger part, so that
// keys that come and go do not add up.
func (p *pending[T]) tidy() {
	switch {
	case len(p.items) < minChunk || p.live > len(p.items)/2:
	case p.live == len(p.items)-p.head:
		rest := copy(p.items, p.items[p.head:])
		clear(p.items[rest:])
		p.items = p.items[:rest]
		p.first += uint64(p.head)
		p.head = 0
	default:
		p.compact()
	}
}

// compact closes the holes.
func (p *pending[T]) compact() {
	kept := p.items[:0]
	next := p.first + uint64(len(p.items))
	for i := p.head; i < len(p.items); i++ {
		item := &p.items[i]
		if item.kind == 0 {
			continue
		}
		p.renumber(item.key, p.first+uint64(i), next+uint64(len(kept)))
		kept = append(kept, *item)
	}
	clear(p.items[len(kept):])
	p.items, p.first, p.head = kept, next, 0
}

func (p *pending[T]) renumber(key string, from, to uint64) {
	at, waits := p.places[key]
	if !waits {
		return
	}
	if at.oldest == from {
		at.oldest = to
	}
	if at.newest == from {
		at.newest = to
	}
	p.places[key] = at
}
