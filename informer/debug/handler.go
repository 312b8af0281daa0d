package debug

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Options configures a Handler.
type Options struct {
	// Informers is called for each request and returns the current informers, such
	// as those of a factory. Nil elements are skipped.
	Informers func() []informer.AnyInformer

	// Objects shows stored objects, without secrets. If it is false, only their keys
	// are shown, since clients of the page may not have permission to read the
	// objects in the cluster. Default: false.
	Objects bool

	// Redact removes further content of an object before it is shown. The object is
	// a JSON copy that it may modify; numbers are json.Numbers. The resource is that
	// of the informer, zero if its source does not provide it. If Redact panics, the
	// object is not shown. Default: none.
	Redact func(resource schema.GroupVersionResource, object map[string]any)

	// Hosts are DNS names that are allowed for requests over loopback, as from a
	// proxy on the same host. [CheckHost] explains why others are refused. Default:
	// only localhost and IP addresses.
	Hosts []string

	// Timeline has the recent events of a key. Default: none.
	Timeline *Timeline

	// Sections returns parts of the page of all informers that are shown before the
	// informers. They are for other components of the program. Default: none.
	Sections func() []Section
}

// A Section is a part of the page that does not describe an informer. Title and Lines
// are escaped.
type Section struct {
	Title string
	// Lines are for the text and HTML formats. State is for JSON. In HTML, a line with
	// a word, two or more spaces, and text is a row of a table, with that word as its
	// heading.
	Lines []string
	State any
	// Problems are for HTML. If there are none, the component is shown as healthy.
	// Default, if nil: the section does not describe the health of a component.
	Problems []Problem
}

// Handler serves the page. It works under any path.
type Handler struct {
	options Options
	// held is the number of bytes of large objects in answers that are being
	// written.
	held atomic.Int64
	// started distinguishes the answers of this Handler from those of an earlier
	// process. assets is the version of the script and the style sheet.
	started time.Time
	assets  string
}

var _ http.Handler = (*Handler)(nil)

// New returns a Handler.
func New(o Options) *Handler {
	return &Handler{options: o, started: time.Now(), assets: assetsVersion()}
}

// ServeHTTP answers GET and HEAD requests.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.RawQuery)
	budget := &objectBudget{all: &h.held}
	defer budget.take(0)
	var code int
	var a answer
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		code, a = http.StatusMethodNotAllowed, failure{Error: "only GET and HEAD are supported"}
	case !allowsHost(r, h.options.Hosts):
		code, a = http.StatusForbidden, failure{Error: refusedHost(r)}
	case err != nil:
		code, a = http.StatusBadRequest, failure{Error: err.Error()}
	case q.file != "":
		if writeFile(w, r, q.file) {
			return
		}
		code, a = http.StatusNotFound, failure{Error: "no file " + q.file}
	default:
		code, a = h.answer(q, budget)
	}
	f := q.format
	if f == "" || f.contentType() == "" {
		f = negotiate(r.Header.Get("Accept"))
	}
	h.writeAnswer(w, r, code, f, a)
}

// An answer is an overview, listing, detail or failure.
type answer interface {
	// writeTo writes the text, writeHTML the content of the HTML page with the frame.
	writeTo(*page)
	writeHTML(*htmlPage)
	frame() frame
}

func (h *Handler) writeAnswer(w http.ResponseWriter, r *http.Request, code int, f format, a answer) {
	defer setWriteDeadline(w, r)()
	if f == formatHTML && code == http.StatusOK && h.unchanged(w, r, a) {
		return
	}
	if later, ok := a.(interface{ read() }); ok {
		later.read()
	}
	// A page with objects is written while it is generated, so that a slow client
	// holds one object and not a page of them.
	if page, ok := a.(*listing); ok && page.objects != nil {
		writeHeader(w, code, f)
		if f == formatJSON {
			page.stream(w)
		} else {
			h.write(w, f, a)
		}
		return
	}
	var body bytes.Buffer
	if f == formatJSON {
		text, err := json.Marshal(a)
		if err != nil {
			http.Error(w, "encoding the answer failed", http.StatusInternalServerError)
			return
		}
		body.Write(indent(text, ""))
		body.WriteByte('\n')
	} else {
		h.write(&body, f, a)
	}
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	writeHeader(w, code, f)
	_, _ = w.Write(body.Bytes()) // the client may have disconnected
}

func (h *Handler) write(w io.Writer, f format, a answer) {
	if f == formatHTML {
		writeHTML(w, a, h.assets)
		return
	}
	writeText(w, a)
}

// answerTimeout is the write timeout of an answer.
const answerTimeout = time.Minute

// setWriteDeadline sets a write deadline that ends when done is called. It does nothing
// if the server has a WriteTimeout.
func setWriteDeadline(w http.ResponseWriter, r *http.Request) (done func()) {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); !ok || server.WriteTimeout > 0 {
		return func() {}
	}
	control := http.NewResponseController(w)
	if control.SetWriteDeadline(time.Now().Add(answerTimeout)) != nil {
		return func() {}
	}
	return func() {
		// Without the deadline, the connection can serve further requests.
		if control.Flush() == nil {
			_ = control.SetWriteDeadline(time.Time{})
		}
	}
}

func writeHeader(w http.ResponseWriter, code int, f format) {
	header := w.Header()
	header.Set("Content-Type", f.contentType())
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Accept")
	header.Set("X-Content-Type-Options", "nosniff")
	policy := "default-src 'none'; "
	if f == formatHTML {
		policy += "script-src 'self'; style-src 'self'; connect-src 'self'; "
	}
	header.Set("Content-Security-Policy", policy+"base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	w.WriteHeader(code)
}

func (h *Handler) answer(q query, budget *objectBudget) (code int, a answer) {
	var entries []entry
	if h.options.Informers != nil {
		entries = directory(h.options.Informers())
	}
	if q.informer == "" {
		return http.StatusOK, h.overview(entries)
	}
	e, ok := find(entries, q.informer)
	if !ok {
		return http.StatusNotFound, failure{Error: "no informer " + q.informer}
	}
	if q.hasKey {
		return h.detail(e, q.key, budget)
	}
	if q.objects && !h.options.Objects {
		return http.StatusForbidden, failure{Error: notShownMessage}
	}
	return http.StatusOK, h.listing(e, q, budget)
}

func (h *Handler) overview(entries []entry) answer {
	a := overview{Now: now(), Informers: make([]informerState, len(entries))}
	for i, e := range entries {
		a.Informers[i] = stateOf(e, a.Now)
	}
	if h.options.Sections != nil {
		for _, s := range h.options.Sections() {
			shown := section{Title: s.Title, State: s.State, lines: s.Lines, hasHealth: s.Problems != nil}
			for _, p := range s.Problems {
				shown.problems = append(shown.problems, problem{Problem: p})
			}
			a.Sections = append(a.Sections, shown)
		}
	}
	return a
}

// maxObjects is the number of bytes of objects after which a page is full.
const maxObjects = 4 << 20

func (h *Handler) listing(e entry, q query, budget *objectBudget) answer {
	at := now()
	a := &listing{Now: at, Informer: stateOf(e, at).withNamespaces(e.state.Namespaces), query: q, mayShowObjects: h.options.Objects, hasTimeline: h.options.Timeline != nil}
	if q.objects {
		a.Keys = []string{}
		a.objects = func(yield func(object) bool) {
			keys, more := pageOfKeys(e.informer.Keys(), q.prefix, q.search, q.after, q.limit)
			h.objects(a, e, keys, more, budget, yield)
		}
		return a
	}
	a.load = func() {
		keys, more := pageOfKeys(e.informer.Keys(), q.prefix, q.search, q.after, q.limit)
		a.Keys = append([]string{}, keys...)
		if more {
			a.Continue = keys[len(keys)-1]
		}
	}
	return a
}

// objects yields the objects with the keys until the page is full, and sets Keys and
// Continue of the listing.
func (h *Handler) objects(a *listing, e entry, keys []string, more bool, budget *objectBudget, yield func(object) bool) {
	bytes := 0
	for i, key := range keys {
		if bytes >= maxObjects {
			keys, more = keys[:i], true
			break
		}
		a.Keys = append(a.Keys, key)
		// An object may have been deleted after its key was read.
		if found, stored := e.informer.Object(key); stored {
			o := h.object(e, key, found, budget)
			bytes += len(o.Object)
			if !yield(o) {
				return
			}
		}
	}
	if more {
		a.Continue = keys[len(keys)-1]
	}
}

// detail returns StatusOK if the object is stored or the timeline has events of it:
// clients often ask for the timeline of a deleted object.
func (h *Handler) detail(e entry, key string, budget *objectBudget) (code int, a answer) {
	at := now()
	d := &detail{Now: at, Informer: stateOf(e, at), hasTimeline: h.options.Timeline != nil}
	var found any
	d.Key = key
	if found, d.Stored = e.informer.Object(key); d.Stored {
		d.load = func() { d.object = h.object(e, key, found, budget) }
	}
	if d.hasTimeline {
		d.Events = h.options.Timeline.Events(e.state.Name, key)
	}
	if !d.Stored && len(d.Events) == 0 {
		return http.StatusNotFound, failure{Error: "informer " + e.id + " has no object " + key, informer: e.id}
	}
	return http.StatusOK, d
}

const notShownMessage = "objects are not shown: set Options.Objects"

// object returns an object that was found in the store.
func (h *Handler) object(e entry, key string, found any, budget *objectBudget) (o object) {
	o.Key = key
	if !h.options.Objects {
		o.Hidden = notShownMessage
		return o
	}
	var err error
	if o.Object, err = render(found, e.state.Resource, h.options.Redact); err != nil {
		o.Hidden = "object not shown: " + err.Error()
	}
	if !budget.take(len(o.Object)) {
		o.Object, o.Hidden = nil, tooMuchHeldMessage
	}
	return o
}

func now() time.Time { return time.Now().UTC() }
