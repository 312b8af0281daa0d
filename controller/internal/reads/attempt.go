package reads

// Attempt is one reconcile of a request.
type Attempt[R comparable] struct {
	graph   *Graph[R]
	request R
	// record is nil before the first read of a request without dependencies.
	record *record[R]
	ended  bool
	// kept are changes that may be own writes. They are judged at the end.
	kept []keptChange[R]
	// passed are further changes of objects that the reconcile has read or written.
	passed []*Change
	// noted are changes that edges have noted. A handler may receive them after the next
	// reconcile, which depends on something else.
	noted []delivery[R]
	// changed is set if a change that does not belong to an edge counts.
	changed bool
	// cause is the number of the last change that counts.
	cause uint32
	// Own has what the reconcile has written, and read of that.
	Own OwnWrites
}

// maxKept bounds the changes that one reconcile keeps. Further changes count as not
// own.
const maxKept = 256

// keptChange is a change to judge at the end. edge is nil if a watch maps it to the
// request and no edge has it.
type keptChange[R comparable] struct {
	change *Change
	edge   *edge[R]
	owed   bool
}

// Edge is an open read.
type Edge[R comparable] struct{ edge *edge[R] }

// Begin begins a reconcile of a request. End ends it.
func (g *Graph[R]) Begin(request R) *Attempt[R] {
	a := &Attempt[R]{graph: g, request: request, record: g.records[request]}
	if a.record != nil {
		a.record.setWorking(true)
	}
	g.working[request] = a
	g.forgetWrites(request)
	return a
}

// Cause returns the last change because of which End has returned true.
func (a *Attempt[R]) Cause() Cause { return a.graph.causes.get(a.cause) }

// Ended reports whether the reconcile has ended.
func (a *Attempt[R]) Ended() bool { return a.ended }

// Open registers a read before it is made. It returns false if the reconcile has ended.
func (a *Attempt[R]) Open(s *Source[R], t Target) (Edge[R], bool) {
	if a.ended {
		return Edge[R]{}, false
	}
	g := a.graph
	if a.record == nil {
		a.record = &record[R]{request: a.request}
		a.record.setWorking(true)
		g.records[a.request] = a.record
	}
	in := s.group(t)
	n := in.nodes[t.Value]
	if n == nil {
		n = &node[R]{group: in, value: t.Value}
		in.nodes[t.Value] = n
	} else if e := g.edgeOf(a.record, n); e != nil {
		return Edge[R]{e}, true
	}
	return Edge[R]{g.link(a.record, n)}, true
}

// Close records the revision at which an open read was made. It returns false if the
// reconcile has ended meanwhile.
func (a *Attempt[R]) Close(opened Edge[R], revision uint64) bool {
	if a.ended {
		return false
	}
	e := opened.edge
	if !e.read && e.old && e.seen > e.revision {
		e.failing = true
	}
	if !e.read || revision < e.revision {
		e.revision = revision
	}
	e.read = true
	return true
}

// End ends a reconcile. After a success its reads replace the previous ones, unless
// forget is set: then none remain. After a failure they are added. The result is whether
// the request must be enqueued because of a change that the reconcile has not seen.
func (g *Graph[R]) End(a *Attempt[R], success, forget bool) (enqueue bool) {
	a.ended = true
	if g.working[a.request] == a {
		delete(g.working, a.request)
	}
	enqueue = a.judgeKept(success)
	if r := a.record; r != nil {
		r.setWorking(false)
		var remaining *edge[R]
		for e := r.first; e != nil; {
			next := e.nextOfRecord
			counts, remains := e.judge(success)
			if counts {
				enqueue, a.cause = true, max(a.cause, e.cause)
			}
			e.cause = 0
			if remains && !(success && forget) {
				e.nextOfRecord, remaining = remaining, e
			} else {
				g.unlink(e)
			}
			e = next
		}
		r.first = remaining
		if r.first == nil {
			delete(g.records, a.request)
		}
		if enqueue && a.cause != 0 {
			r.cause = a.cause
		}
	}
	if enqueue {
		for _, d := range a.noted {
			g.deliveries.add(d)
		}
	}
	a.noted = nil
	if success && a.Own.wrote() {
		g.remember(a.request, a.Own)
	}
	return enqueue
}

// judge decides at the end of a reconcile whether the changes of the edge count, and
// whether the edge remains.
func (e *edge[R]) judge(success bool) (counts, remains bool) {
	remains = e.read || !success
	if remains {
		counts = e.seen > e.revision || e.failing && !success
	} else {
		counts = e.owed
	}
	e.read, e.old, e.failing, e.owed, e.seen = false, true, false, false, 0
	return counts, remains
}

// judgeKept judges the changes that may be own writes.
func (a *Attempt[R]) judgeKept(success bool) (enqueue bool) {
	enqueue = a.changed
	for _, k := range a.kept {
		switch {
		case success && a.Own.isOwn(k.change):
		case k.edge == nil:
			enqueue, a.cause = true, max(a.cause, a.graph.causeOf(k.change))
		default:
			k.edge.note(k.change, a.graph.causeOf(k.change), k.owed)
		}
	}
	for _, k := range a.kept {
		a.Own.forget(k.change)
	}
	for _, c := range a.passed {
		a.Own.forget(c)
	}
	a.kept, a.passed = nil, nil
	return enqueue
}

// keep keeps a change until the end.
func (a *Attempt[R]) keep(c *Change, e *edge[R], owed bool) {
	switch {
	case c.MayBeOwn && len(a.kept) < maxKept:
		a.kept = append(a.kept, keptChange[R]{c, e, owed})
	case e == nil:
		a.changed, a.cause = true, a.graph.causeOf(c)
	default:
		e.note(c, a.graph.causeOf(c), owed)
		if !c.MayBeOwn && len(a.noted) < maxKept {
			a.noted = append(a.noted, delivery[R]{a.request, c.Object, c.Deleted})
		}
	}
}

// note records a change during a reconcile.
func (e *edge[R]) note(c *Change, cause uint32, owed bool) {
	e.cause = cause
	e.seen = max(e.seen, c.Revision)
	e.owed = e.owed || owed
	e.failing = e.failing || e.read && e.old && c.Revision <= e.revision
}
