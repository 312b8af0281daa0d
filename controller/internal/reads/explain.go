package reads

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Cause is a change that has enqueued requests.
type Cause struct {
	Time time.Time
	// Source is the name of the informer, and Key the object. Event is created, updated
	// or deleted, or "" for an object that existed when the watch began.
	Source, Key, Event string
}

// String returns the informer, the object and the event.
func (c Cause) String() string {
	if c.Source == "" {
		return ""
	}
	return strings.TrimSuffix(c.Source+" "+c.Key+" "+c.Event, " ")
}

// EventOf returns the Event of a change. isUpdate is set if the object existed before and
// exists after it.
func EventOf(isUpdate, deleted bool) string {
	switch {
	case deleted:
		return "deleted"
	case isUpdate:
		return "updated"
	}
	return "created"
}

// maxCauses is the number of causes that are kept. Older ones are not known any more.
const maxCauses = 1024

// causes has the last causes by number. The numbers begin with 1.
type causes struct {
	last uint32
	ring []Cause
}

// add adds a cause and returns its number.
func (c *causes) add(cause Cause) uint32 {
	c.last++
	if c.last == 0 { // 0 means none
		c.last, c.ring = 1, nil
	}
	if len(c.ring) < maxCauses {
		c.ring = append(c.ring, cause)
	} else {
		c.ring[(c.last-1)%maxCauses] = cause
	}
	return c.last
}

// get returns a cause that is still known.
func (c *causes) get(number uint32) Cause {
	if number == 0 || number > c.last || c.last-number >= maxCauses {
		return Cause{}
	}
	return c.ring[(number-1)%maxCauses]
}

// Explain returns the last cause of a request, up to limit of its dependencies, sorted,
// and their number.
func (g *Graph[R]) Explain(request R, limit int) (cause Cause, dependencies []string, count int) {
	r := g.records[request]
	if r == nil {
		return Cause{}, nil, 0
	}
	for e := r.first; e != nil && len(dependencies) < limit; e = e.nextOfRecord {
		dependencies = append(dependencies, e.node.String())
	}
	slices.Sort(dependencies)
	return g.causes.get(r.cause), dependencies, r.count()
}

// String describes what is read.
func (n *node[R]) String() string {
	name := n.group.source.Name
	switch n.group.kind {
	case Key:
		return name + " " + n.value
	case Namespace:
		return name + " in namespace " + n.value
	case Everything:
		return "all " + name
	}
	return fmt.Sprintf("%s with %s %q", name, n.group.index.Name, n.value)
}

// Note records that a change has enqueued a request with dependencies.
func (g *Graph[R]) Note(request R, cause Cause) {
	if r := g.records[request]; r != nil {
		r.cause = g.causes.add(cause)
	}
}
