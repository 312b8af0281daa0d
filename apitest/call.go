package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// call is one request to a resource, understood so far as its address goes.
type call struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	query  url.Values
	user   User
	verb   string
	target
	resource *resource
	// format is what the client wants to read.
	format *format
	// events is the rest of the answer to a watch.
	events func()
}

// serve answers a request that no fault has stopped.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if events := s.begin(w, r); events != nil {
		events()
	}
}

// begin answers a request, all but the events of a watch. What sends these is
// returned, as a watch is to be idle with as little on its stack as can be.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (events func()) {
	w.Header().Set("Cache-Control", "no-cache, private")
	at, isResource := parsePath(r.URL.Path)
	if at.short {
		http.Error(w, fmt.Sprintf("Internal Server Error: %q: failed to create RequestInfo: unable to determine kind and namespace from url, %v", r.URL.Path, r.URL), http.StatusInternalServerError)
		return nil
	}
	c := &call{server: s, w: w, r: r, query: r.URL.Query(), target: at}
	if isResource {
		c.verb = verbOf(r, at, c.query)
	} else {
		c.verb = methodVerb(r.Method)
	}
	if err := c.admit(isResource); err != nil {
		fail(w, r, err)
		return nil
	}
	var err error
	switch {
	case strings.HasPrefix(r.URL.Path, "//"):
		err = errNotServed
	case isResource:
		err = c.serveResource()
	default:
		err = c.servePath()
	}
	if err != nil {
		fail(w, r, err)
	}
	return c.events
}

// serveResource finds who is meant, and lets the verb answer.
func (c *call) serveResource() (err error) {
	if c.resource, err = c.server.route(c.target, c.verb, c.r.Method); err != nil {
		return err
	}
	if c.format, err = negotiate(c.r, c.resource, c.verb); err != nil {
		return err
	}
	for _, text := range c.resource.warnings {
		c.warn(text)
	}
	return c.do()
}

// do runs the verb. What it returns is the answer if nothing was written yet.
func (c *call) do() (err error) {
	switch {
	case c.subresource == "scale" && c.verb == "get":
		return c.getScale()
	case c.subresource == "scale" && c.verb == "update":
		return c.updateScale()
	}
	switch c.verb {
	case "get":
		return c.get()
	case "list":
		return c.list()
	case "watch":
		c.events, err = c.watch()
		return err
	case "create":
		return c.create()
	case "update":
		return c.update()
	case "patch":
		return c.patch()
	case "delete":
		return c.delete()
	case "deletecollection":
		return c.deleteCollection()
	}
	return apierrors.NewMethodNotSupported(c.GroupResource(), c.verb)
}
