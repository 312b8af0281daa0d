package debug

import (
	"bytes"
	"encoding/json"
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
	// Lines are for the text and HTML formats. State is for JSON.
	Lines []string
	State any
}

// Handler serves the page. It works under any path.
type Handler struct {
	options Options
	// held is the number of bytes of large objects in answers that are being
	// written.
	held atomic.Int64
}

var _ http.Handler = (*Handler)(nil)

// New returns a Handler.
func New(o Options) *Handler { return &Handler{options: o} }

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
		code, a = http.StatusMethodNotAllowed, failure{"only GET and HEAD are supported"}
	case !allowsHost(r, h.options.Hosts):
		code, a = http.StatusForbidden, failure{refusedHost(r)}
	case err != nil:
		code, a = http.StatusBadRequest, failure{err.Error()}
	default:
		code, a = h.answer(q, budget)
	}
	f := q.format
	if f == "" || f.contentType() == "" {
		f = negotiate(r.Header.Get("Accept"))
	}
	writeAnswer(w, r, code, f, a)
}

// An answer is an overview, listing, detail or failure.
type answer interface{ writeTo(*page) }

func writeAnswer(w http.ResponseWriter, r *http.Request, code int, f format, a answer) {
	defer setWriteDeadline(w, r)()
	// A page with objects is written while it is generated, so that a slow client
	// holds one object and not a page of them.
	if page, ok := a.(*listing); ok && page.objects != nil {
		writeHeader(w, code, f)
		if f == formatJSON {
			page.stream(w)
		} else {
			writeText(w, page, f == formatHTML)
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
		writeText(&body, a, f == formatHTML)
	}
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	writeHeader(w, code, f)
	_, _ = w.Write(body.Bytes()) // the client may have disconnected
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
	header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
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
		return http.StatusNotFound, failure{"no informer " + q.informer}
	}
	if q.hasKey {
		return h.detail(e, q.key, budget)
	}
	if q.objects && !h.options.Objects {
		return http.StatusForbidden, failure{notShownMessage}
	}
	return http.StatusOK, h.listing(e, q, budget)
}

func (h *Handler) overview(entries []entry) answer {
	a := overview{Now: now(), Informers: make([]informerState, len(entries))}
	for i, e := range entries {
		a.Informers[i] = stateOf(e)
	}
	if h.options.Sections != nil {
		for _, s := range h.options.Sections() {
			a.Sections = append(a.Sections, section{s.Title, s.State, s.Lines})
		}
	}
	return a
}

// maxObjects is the number of bytes of objects after which a page is full.
const maxObjects = 4 << 20

func (h *Handler) listing(e entry, q query, budget *objectBudget) answer {
	a := &listing{Now: now(), Informer: stateOf(e), query: q}
	keys, more := pageOfKeys(e.informer.Keys(), q.prefix, q.after, q.limit)
	if q.objects {
		a.Keys = []string{}
		a.objects = func(yield func(object) bool) { h.objects(a, e, keys, more, budget, yield) }
		return a
	}
	a.Keys = append([]string{}, keys...)
	if more {
		a.Continue = keys[len(keys)-1]
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
		if o, stored := h.object(e, key, budget); stored {
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
	d := detail{Now: now(), Informer: stateOf(e), hasTimeline: h.options.Timeline != nil}
	d.object, d.Stored = h.object(e, key, budget)
	if d.hasTimeline {
		d.Events = h.options.Timeline.Events(e.state.Name, key)
	}
	if !d.Stored && len(d.Events) == 0 {
		return http.StatusNotFound, failure{"informer " + e.id + " has no object " + key}
	}
	return http.StatusOK, d
}

const notShownMessage = "objects are not shown: set Options.Objects"

func (h *Handler) object(e entry, key string, budget *objectBudget) (o object, stored bool) {
	o.Key = key
	found, stored := e.informer.Object(key)
	if !stored {
		return o, false
	}
	if !h.options.Objects {
		o.Hidden = notShownMessage
		return o, true
	}
	var err error
	if o.Object, err = render(found, e.state.Resource, h.options.Redact); err != nil {
		o.Hidden = "object not shown: " + err.Error()
	}
	if !budget.take(len(o.Object)) {
		o.Object, o.Hidden = nil, tooMuchHeldMessage
	}
	return o, true
}

func now() time.Time { return time.Now().UTC() }
