package informer

// pending has the notifications that wait for a handler that has fallen behind,
// merged to at most two for each key:
//
//	waiting      new       result
//	Add          Update    Add of the new state
//	Update       Update    Update from the oldest old to the newest new state
//	Add          Delete    nothing
//	Update       Delete    Delete of the last state, the oldest old before it
//	Delete       Add       both, in order
//	Delete+Add   Update    Delete, and Add of the new state
//	Delete+Add   Delete    the first Delete
//
// A merged notification keeps the position of the oldest one, and the
// isInInitialList of the Add. A Delete keeps its own object and its own
// finalStateUnknown: the states that are merged into a Delete are not newer than
// it. The mark synced occurs once and has the key "", which no object has: it is
// not merged, and notifications that wait before it stay before it.
type pending[T any] struct {
	// items are the waiting notifications, in order, starting at head. A removed
	// item has kind 0.
	items []notification[T]
	head  int
	// first is the number of items[0]. Numbers are never reused.
	first uint64
	// count is the number of waiting items.
	count int
	// slots maps each key to its waiting items.
	slots map[string]slot
}

// slot has the numbers of the oldest and the newest item of a key. They are equal
// if only one waits. If two wait, they are a Delete and an Add.
type slot struct{ oldest, newest uint64 }

func (p *pending[T]) len() int { return p.count }

// add adds n or merges it, and returns by how many notifications the merging
// reduced the total.
func (p *pending[T]) add(n *notification[T]) (merged int) {
	waiting, found := p.slots[n.key]
	if !found {
		number := p.push(n)
		p.setSlot(n.key, slot{number, number})
		return 0
	}
	newest := &p.items[waiting.newest-p.first]
	switch {
	case newest.kind == deleted:
		p.setSlot(n.key, slot{waiting.newest, p.push(n)})
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
	p.count--
	if waiting.oldest == waiting.newest {
		delete(p.slots, n.key)
	} else {
		p.slots[n.key] = slot{waiting.oldest, waiting.oldest}
	}
	p.shrink()
	return 2
}

// newest returns the newest notification that waits for a key.
func (p *pending[T]) newest(key string) (n notification[T], found bool) {
	waiting, found := p.slots[key]
	if found {
		n = p.items[waiting.newest-p.first]
	}
	return n, found
}

func (p *pending[T]) push(n *notification[T]) (number uint64) {
	p.items = append(p.items, *n)
	p.count++
	return p.first + uint64(len(p.items)-1)
}

func (p *pending[T]) setSlot(key string, waiting slot) {
	if p.slots == nil {
		p.slots = map[string]slot{}
	}
	p.slots[key] = waiting
}

// take moves the oldest notifications, at most limit, to the end of run.
func (p *pending[T]) take(run []notification[T], limit int) []notification[T] {
	for ; limit > 0 && p.count > 0; p.head++ {
		item := &p.items[p.head]
		if item.kind == 0 {
			continue
		}
		p.clearSlot(item.key, p.first+uint64(p.head))
		run = append(run, *item)
		*item = notification[T]{}
		p.count--
		limit--
	}
	p.shrink()
	return run
}

// clearSlot removes the item with this number from the slot of key.
func (p *pending[T]) clearSlot(key string, number uint64) {
	switch waiting, found := p.slots[key]; {
	case !found || waiting.oldest != number:
	case waiting.newest != number:
		p.slots[key] = slot{waiting.newest, waiting.newest}
	default:
		delete(p.slots, key)
	}
}

// shrink frees memory when taken and removed items are the larger part, so that
// memory does not grow with the number of keys over time.
func (p *pending[T]) shrink() {
	switch {
	case len(p.items) < minChunk || p.count > len(p.items)/2:
	case p.count == len(p.items)-p.head:
		n := copy(p.items, p.items[p.head:])
		clear(p.items[n:])
		p.items = p.items[:n]
		p.first += uint64(p.head)
		p.head = 0
	default:
		p.compact()
	}
}

// compact removes the gaps.
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
	waiting, found := p.slots[key]
	if !found {
		return
	}
	if waiting.oldest == from {
		waiting.oldest = to
	}
	if waiting.newest == from {
		waiting.newest = to
	}
	p.slots[key] = waiting
}
