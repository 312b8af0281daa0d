package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// call is one request, with its parsed path.
type call struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	query  url.Values
	user   User
	verb   string
	params.Target
	resource *registry.Resource
	// format is the format of the response.
	format *response.Format
	// internal is set for calls of the server's own controllers.
	internal bool
	// ticks counts the calls of Tick.
	ticks int
	// events sends the events of a watch.
	events func()
}

// serve responds to a request that no fault has stopped.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if events := s.begin(w, r); events != nil {
		events()
	}
}

// begin responds to a request, except for the events of a watch. It returns the
// function that sends these, so that an idle watch has a small stack.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (events func()) {
	w.Header().Set("Cache-Control", "no-cache, private")
	if r.Method == http.MethodConnect {
		refuseTunnel(w, r)
		return nil
	}
	at, isResource := params.ParsePath(r.URL.Path)
	if at.Short {
		http.Error(w, fmt.Sprintf("Internal Server Error: %q: failed to create RequestInfo: unable to determine kind and namespace from url, %v", r.URL.Path, r.URL), http.StatusInternalServerError)
		return nil
	}
	c := &call{server: s, w: w, r: r, query: r.URL.Query(), Target: at}
	if isResource {
		c.verb = params.VerbOf(r, at, c.query)
	} else {
		c.verb = params.MethodVerb(r.Method)
	}
	if err := c.admit(isResource); err != nil {
		response.WriteError(w, r, err)
		return nil
	}
	var err error
	switch {
	case strings.HasPrefix(r.URL.Path, "//"):
		err = registry.ErrNotServed
	case isResource:
		err = c.serveResource()
	default:
		err = c.servePath()
	}
	if err != nil {
		response.WriteError(w, r, err)
	}
	return c.events
}

// refuseTunnel rejects a CONNECT, whatever its address or path. It closes the
// connection, since a client may take it for the tunnel.
func refuseTunnel(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	response.WriteError(w, r, &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: http.StatusMethodNotAllowed, Reason: metav1.StatusReasonMethodNotAllowed,
		Message: "CONNECT is not supported: this server is not a proxy",
	}})
}

// serveResource finds the resource and serves the verb.
func (c *call) serveResource() (err error) {
	if c.resource, err = c.server.registry.Route(c.Target, c.verb, c.r.Method); err != nil {
		return err
	}
	if c.format, err = response.Negotiate(c.r, c.resource, c.verb); err != nil {
		return err
	}
	for _, text := range c.resource.Warnings {
		c.warn(text)
	}
	return c.do()
}

// do serves the verb. Its error is the response if nothing was written yet.
func (c *call) do() (err error) {
	switch {
	case c.Subresource == "scale" && c.verb == "get":
		return c.getScale()
	case c.Subresource == "scale" && c.verb == "update":
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

// respond writes an object, given in its stored form.
func (c *call) respond(code int, text []byte) error {
	text, err := c.format.Object(c.resource, text)
	if err != nil {
		return err
	}
	return c.format.Send(c.w, c.r, code, text)
}

// respondStatus writes a Status of success.
func (c *call) respondStatus(status *metav1.Status) error {
	status.Kind, status.APIVersion = "Status", "v1"
	text, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return c.format.Send(c.w, c.r, http.StatusOK, text)
}

// warningBytes bounds the warnings of one response: a body can contain many
// fields to warn about.
const warningBytes = 4 << 10

// warn sends a warning with the response, which must not have begun. Equal
// warnings are sent once.
func (c *call) warn(text string) {
	line, err := utilnet.NewWarningHeader(299, "-", text)
	if err != nil {
		return // not valid text
	}
	sent := c.w.Header().Values("Warning")
	size := len(line)
	for _, other := range sent {
		size += len(other)
	}
	if size <= warningBytes && !slices.Contains(sent, line) {
		c.w.Header().Add("Warning", line)
	}
}

// warnOf sends the findings in a body as warnings. The YAML decoder puts all
// its findings into one error.
func (c *call) warnOf(findings []error) {
	for _, found := range findings {
		text := strings.TrimPrefix(found.Error(), "error converting YAML to JSON: ")
		for line := range strings.SplitSeq(strings.TrimPrefix(text, "yaml: unmarshal errors:\n"), "\n") {
			c.warn(strings.TrimSpace(line))
		}
	}
}

// ticksPerCheck is the number of calls of Tick between two checks.
const ticksPerCheck = 1 << 10

// AbortIfDone aborts a request whose client has disconnected or whose server is closed:
// a body of 3 MB can keep a server busy for half a minute, and Close waits for
// that. It is called before an object is stored, and between steps that take
// time in proportion to the body. Internal calls, which have no client, are not
// aborted.
func (c *call) AbortIfDone() {
	if c == nil || c.internal {
		return
	}
	if c.r.Context().Err() != nil || c.server.ctx.Err() != nil {
		panic(http.ErrAbortHandler)
	}
}

// Tick is AbortIfDone for loops that call it once for each value.
func (c *call) Tick() {
	if c.ticks++; c.ticks%ticksPerCheck == 0 {
		c.AbortIfDone()
	}
}
