package reads

import "slices"

// Graph has the dependencies of all requests of type R on the Sources.
type Graph[R comparable] struct {
	// records has the requests with edges.
	records map[R]*record[R]
	// working has the reconciles that have begun and not ended.
	working map[R]*Attempt[R]
	// large finds the edges of the records that have more than maxWalk.
	large map[*record[R]]map[*node[R]]*edge[R]
	// writes has the own writes of the last successful reconcile of a request, as far as
	// their events may still come.
	writes map[R]*OwnWrites
	// writers has the requests of writes by the objects that they have written.
	writers    map[object][]R
	deliveries deliveries[R]
	causes     causes
	edges      int
}

// NewGraph returns a Graph without dependencies.
func NewGraph[R comparable]() *Graph[R] {
	return &Graph[R]{
		records: map[R]*record[R]{}, working: map[R]*Attempt[R]{},
		large: map[*record[R]]map[*node[R]]*edge[R]{}, writes: map[R]*OwnWrites{},
		writers: map[object][]R{},
	}
}

// record is a request with its edges. There is one per request, so its size matters.
type record[R comparable] struct {
	request R
	// first is the head of the list of the edges.
	first *edge[R]
	// cause is the number of the last cause of Graph.causes, 0 if there is none.
	cause uint32
	// state is the number of edges, times two, plus one if the request is in work.
	state uint32
}

func (r *record[R]) working() bool { return r.state&1 != 0 }
func (r *record[R]) count() int    { return int(r.state >> 1) }

func (r *record[R]) setWorking(working bool) {
	r.state &^= 1
	if working {
		r.state |= 1
	}
}

// edge says that a request depends on a node. It has 64 bytes.
type edge[R comparable] struct {
	node   *node[R]
	record *record[R]
	// revision is the lowest one at which the last reconcile that has read the node has
	// read it.
	revision uint64
	// seen is the highest revision of a change during the reconcile in progress, 0 if
	// there is none.
	seen uint64
	// next and previous link the edges of the node, nextOfRecord those of the record.
	next, previous, nextOfRecord *edge[R]
	// read is set when the reconcile in progress has read the node.
	read bool
	// old is set if an earlier reconcile has read the node. failing is then set if a
	// change counts only if the reconcile in progress fails: an earlier reconcile has not
	// seen it, and this one has.
	old, failing bool
	// owed is set if a watch maps a change of the reconcile in progress to the request
	// and relies on this edge. The change counts if the edge does not remain.
	owed bool
	// cause is the number of the last change during the reconcile in progress.
	cause uint32
}

// ForgetRun drops what has a meaning only until the end of a run: own writes and
// deliveries. All reconciles must have ended.
func (g *Graph[R]) ForgetRun() {
	clear(g.writes)
	clear(g.writers)
	g.deliveries = deliveries[R]{}
}

// Len returns the number of requests with dependencies, and the number of dependencies.
func (g *Graph[R]) Len() (requests, dependencies int) { return len(g.records), g.edges }

// Requests returns the requests that have dependencies, in no particular order.
func (g *Graph[R]) Requests() []R {
	all := make([]R, 0, len(g.records))
	for r := range g.records {
		all = append(all, r)
	}
	return all
}

// First returns the first limit of the requests that have dependencies, sorted.
func (g *Graph[R]) First(limit int, compare func(a, b R) int) []R {
	first := make([]R, 0, limit+1)
	for r := range g.records {
		if at, _ := slices.BinarySearchFunc(first, r, compare); at < limit {
			first = slices.Insert(first, at, r)
			first = first[:min(len(first), limit)]
		}
	}
	return first
}

// maxWalk is the number of edges up to which the edge of a node is searched in the list
// of the record.
const maxWalk = 16

// edgeOf returns the edge between a record and a node, nil if there is none.
func (g *Graph[R]) edgeOf(r *record[R], n *node[R]) *edge[R] {
	if n.first == nil || n.first.record == r {
		return n.first
	}
	if n.first.next == nil {
		return nil
	}
	if r.count() > maxWalk {
		return g.large[r][n]
	}
	for e := r.first; e != nil; e = e.nextOfRecord {
		if e.node == n {
			return e
		}
	}
	return nil
}

// link adds an edge.
func (g *Graph[R]) link(r *record[R], n *node[R]) *edge[R] {
	e := &edge[R]{node: n, record: r, next: n.first, nextOfRecord: r.first}
	if n.first != nil {
		n.first.previous = e
	}
	n.first, r.first = e, e
	r.state += 2
	g.edges++
	switch count := r.count(); {
	case count == maxWalk+1:
		byNode := make(map[*node[R]]*edge[R], 2*maxWalk)
		for e := r.first; e != nil; e = e.nextOfRecord {
			byNode[e.node] = e
		}
		g.large[r] = byNode
	case count > maxWalk:
		g.large[r][n] = e
	}
	return e
}

// Remove removes all dependencies on a source, and own writes of its objects. id is the
// Source of its changes.
func (g *Graph[R]) Remove(s *Source[R], id any) {
	groups := append([]*group[R]{&s.keys, &s.namespaces, &s.everything}, s.indexes...)
	affected := map[*record[R]]struct{}{}
	for _, in := range groups {
		for _, n := range in.nodes {
			for e := n.first; e != nil; e = e.next {
				affected[e.record] = struct{}{}
			}
		}
	}
	for r := range affected {
		var remaining *edge[R]
		for e := r.first; e != nil; {
			next := e.nextOfRecord
			if e.node.group.source == s {
				g.unlink(e)
			} else {
				e.nextOfRecord, remaining = remaining, e
			}
			e = next
		}
		if r.first = remaining; r.first == nil && !r.working() {
			delete(g.records, r.request)
		}
	}
	for written, requests := range g.writers {
		if written.source == id {
			g.forgetObject(written, requests)
		}
	}
}

// unlink removes an edge from its node. The caller removes it from the list of the
// record.
func (g *Graph[R]) unlink(e *edge[R]) {
	n, r := e.node, e.record
	if e.previous != nil {
		e.previous.next = e.next
	} else {
		n.first = e.next
	}
	if e.next != nil {
		e.next.previous = e.previous
	}
	if n.first == nil {
		delete(n.group.nodes, n.value)
	}
	switch count := r.count(); {
	case count == maxWalk+1:
		delete(g.large, r)
	case count > maxWalk:
		delete(g.large[r], n)
	}
	r.state -= 2
	g.edges--
}
