package reads

import "slices"

// maxWriters bounds the requests whose own writes are known after their reconcile. An
// event that never comes, for example because a selector excludes the object, would
// otherwise keep them. If there are more, any of them is dropped: then its event enqueues
// the request.
const maxWriters = 16384

// remember keeps the own writes of a request's successful reconcile until their events
// have come.
func (g *Graph[R]) remember(request R, own OwnWrites) {
	if len(g.writes) >= maxWriters {
		for other := range g.writes {
			g.forgetWrites(other)
			break
		}
	}
	g.writes[request] = &own
	for i := range own.objects {
		id := own.objects[i].object
		g.writers[id] = append(g.writers[id], request)
	}
}

// forgetWrites drops the own writes of a request.
func (g *Graph[R]) forgetWrites(request R) {
	own := g.writes[request]
	if own == nil {
		return
	}
	delete(g.writes, request)
	for i := range own.objects {
		g.forgetWriter(own.objects[i].object, request)
	}
}

func (g *Graph[R]) forgetWriter(id object, request R) {
	g.setWriters(id, slices.DeleteFunc(g.writers[id], func(other R) bool { return other == request }))
}

// forgetPassed drops the own writes that a change has passed, whether or not the change
// affects their requests.
func (g *Graph[R]) forgetPassed(c *Change) {
	id := c.object()
	for _, a := range g.working {
		if a.Own.find(id) >= 0 && len(a.passed) < maxKept { // judged at the end
			a.passed = append(a.passed, c)
		}
	}
	writers := g.writers[id]
	left := writers[:0]
	for _, request := range writers {
		own := g.writes[request]
		if !own.forget(c) {
			left = append(left, request)
		} else if len(own.objects) == 0 {
			delete(g.writes, request)
		}
	}
	g.setWriters(id, left)
}

func (g *Graph[R]) setWriters(id object, requests []R) {
	if len(requests) == 0 {
		delete(g.writers, id)
		return
	}
	g.writers[id] = requests
}

// forgetObject drops the own writes of an object.
func (g *Graph[R]) forgetObject(id object, requests []R) {
	delete(g.writers, id)
	for _, request := range requests {
		own := g.writes[request]
		own.drop(id)
		if len(own.objects) == 0 {
			delete(g.writes, request)
		}
	}
}
