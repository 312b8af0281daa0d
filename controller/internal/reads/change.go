package reads

// Change is one change of an object in a store.
type Change struct {
	// Source identifies the informer, and Key the object.
	Source any
	Key    string
	// Revision is the revision of the store that has the change.
	Revision uint64
	// Object is a pointer to the object after the change, or before a deletion.
	Object any
	// Cause describes the change.
	Cause Cause
	// UID and New are the UID and the version after the change, or before a deletion.
	UID, New string
	Deleted  bool
	// MayBeOwn is set for creations and updates that a watch has delivered, if the source
	// ignores own writes. The fields below are set only then: the UID and the version
	// before the change, "" for a creation.
	MayBeOwn    bool
	OldUID, Old string
	Epoch       int

	// number is that of Cause, 0 before the change has affected a request.
	number uint32
}

func (c *Change) object() object { return object{c.Source, c.Key} }

// causeOf returns the number of the cause of a change. A change that affects nothing has
// none, so that it displaces no other cause.
func (g *Graph[R]) causeOf(c *Change) uint32 {
	if c.number == 0 {
		c.number = g.causes.add(c.Cause)
	}
	return c.number
}

// Apply applies a change. matches are the nodes that it affects, and accepted says
// whether the predicates accept it. mapped are the requests to which watches map the
// change. It appends the requests to enqueue, each once.
func (g *Graph[R]) Apply(enqueue []R, c *Change, matches []Match[R], accepted bool, mapped []R) []R {
	for _, r := range mapped {
		enqueue = g.applyMapped(enqueue, c, matches, r)
	}
	for _, m := range matches {
		if !m.Always && !accepted {
			continue
		}
		for e := m.node.first; e != nil; e = e.next {
			r := e.record
			switch {
			case r.working():
				g.working[r.request].keep(c, e, false)
			case c.Revision <= e.revision || c.number != 0 && r.cause == c.number:
			case !g.isOwn(r.request, c):
				r.cause = g.causeOf(c)
				enqueue = append(enqueue, r.request)
				if !c.MayBeOwn {
					g.deliveries.add(delivery[R]{r.request, c.Object, c.Deleted})
				}
			}
		}
	}
	g.forgetPassed(c)
	return enqueue
}

// applyMapped applies a change to a request to which a watch maps it. If an edge of the
// request has the change as well, the edge decides.
func (g *Graph[R]) applyMapped(enqueue []R, c *Change, matches []Match[R], request R) []R {
	r, a := g.records[request], g.working[request]
	e := g.matchingEdge(r, matches)
	switch {
	case a != nil && e != nil:
		a.keep(c, e, true)
	case a != nil:
		a.keep(c, nil, false)
	case e != nil: // Apply decides
	case !g.isOwn(request, c):
		if r != nil {
			r.cause = g.causeOf(c)
		}
		enqueue = append(enqueue, request)
	}
	return enqueue
}

// matchingEdge returns an edge of a record among the matches, nil if there is none.
func (g *Graph[R]) matchingEdge(r *record[R], matches []Match[R]) *edge[R] {
	if r == nil {
		return nil
	}
	for _, m := range matches {
		if e := g.edgeOf(r, m.node); e != nil {
			return e
		}
	}
	return nil
}

// Covers reports whether an edge of the request has a change with these matches, or has
// had it, so that a watch that maps the change to the request need not enqueue it. If the
// request is being reconciled and the edge does not remain, End enqueues it.
func (g *Graph[R]) Covers(request R, c *Change, matches []Match[R]) bool {
	if g.deliveries.has(delivery[R]{request, c.Object, c.Deleted}) {
		return true
	}
	r := g.records[request]
	e := g.matchingEdge(r, matches)
	if e != nil && r.working() {
		e.owed = true
	}
	return e != nil
}

// isOwn reports whether a change is the result of a write of the request's last
// reconcile.
func (g *Graph[R]) isOwn(request R, c *Change) bool {
	own := g.writes[request]
	return own != nil && own.isOwn(c)
}

// delivery is a change that has enqueued a request because of an edge.
type delivery[R comparable] struct {
	request R
	object  any
	deleted bool
}

// maxDeliveries is the number of deliveries that are known. Each keeps an object alive.
const maxDeliveries = 128

// deliveries has the last deliveries. A handler may receive a change after the request
// has been reconciled for it and depends on something else.
type deliveries[R comparable] struct {
	known map[delivery[R]]struct{}
	ring  []delivery[R]
	next  int
}

func (d *deliveries[R]) add(added delivery[R]) {
	if d.known == nil {
		d.known = map[delivery[R]]struct{}{}
	}
	if len(d.ring) < maxDeliveries {
		d.ring = append(d.ring, added)
	} else {
		delete(d.known, d.ring[d.next])
		d.ring[d.next] = added
	}
	d.next = (d.next + 1) % maxDeliveries
	d.known[added] = struct{}{}
}

func (d *deliveries[R]) has(delivered delivery[R]) bool {
	_, ok := d.known[delivered]
	return ok
}
