package debug

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/thinformer/thinformer/informer"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Options configures a Handler.
type Options struct {
	// Informers are asked for with each request: those that there are by then,
	// such as a factory's. Nils among them are left out.
	Informers func() []informer.AnyInformer

	// Objects shows what is stored. Without it keys are all that is told of
	// objects: who can reach the page need not be somebody who may read them in
	// the cluster. With it secrets are still taken out. Default: false.
	Objects bool

	// Redact takes out more of an object before it is shown. The object is a
	// copy as JSON, to be changed at will, its numbers being json.Numbers; the
	// resource is what its informer reads, zero if its source does not tell. If
	// it panics, that object is not shown. Default: nothing more.
	Redact func(resource schema.GroupVersionResource, object map[string]any)

	// Timeline shows what it remembers of a key. Default: none.
	Timeline *Timeline

	// Sections are asked for when all informers are, and stand before them: what
	// else there is to see of the program. Default: nothing.
	Sections func() []Section
}

// A Section is something else to see than an informer. The Title and what is in
// Lines may come from anywhere.
type Section struct {
	Title string
	// Lines are for people, State, encoded as JSON, for programs.
	Lines []string
	State any
}

// Handler serves the page, under whatever path.
type Handler struct{ options Options }

var _ http.Handler = (*Handler)(nil)

// New returns a Handler.
func New(o Options) *Handler { return &Handler{o} }

// ServeHTTP answers GET and HEAD.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.RawQuery)
	var code int
	var a answer
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		code, a = http.StatusMethodNotAllowed, failure{"this page is read with GET"}
	case err != nil:
		code, a = http.StatusBadRequest, failure{err.Error()}
	default:
		code, a = h.answer(q)
	}
	f := q.format
	if f == "" || f.contentType() == "" {
		f = negotiate(r.Header.Get("Accept"))
	}
	respond(w, code, f, a)
}

// An answer is one of overview, listing, detail and failure.
type answer interface{ lay(*page) }

func respond(w http.ResponseWriter, code int, f format, a answer) {
	var body []byte
	if f == asJSON {
		var err error
		if body, err = json.Marshal(a); err != nil {
			http.Error(w, "the answer cannot be encoded", http.StatusInternalServerError)
			return
		}
		body = append(indent(body), '\n')
	} else {
		body = layOut(a, f == asHTML)
	}
	header := w.Header()
	header.Set("Content-Type", f.contentType())
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Accept")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	w.WriteHeader(code)
	_, _ = w.Write(body) // there is nobody to tell
}

func (h *Handler) answer(q query) (code int, a answer) {
	var entries []entry
	if h.options.Informers != nil {
		entries = directory(h.options.Informers())
	}
	if q.informer == "" {
		return http.StatusOK, h.overview(entries)
	}
	e, ok := find(entries, q.informer)
	if !ok {
		return http.StatusNotFound, failure{"there is no informer " + q.informer}
	}
	if q.named {
		return h.detail(e, q.key)
	}
	if q.objects && !h.options.Objects {
		return http.StatusForbidden, failure{notShown}
	}
	return http.StatusOK, h.listing(e, q)
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

// maxObjects is how many bytes of objects make a page full.
const maxObjects = 4 << 20

func (h *Handler) listing(e entry, q query) answer {
	a := listing{Now: now(), Informer: stateOf(e), Keys: []string{}, asked: q}
	keys, more := pageOfKeys(e.informer.Keys(), q.prefix, q.after, q.limit)
	bytes := 0
	for i, key := range keys {
		if bytes >= maxObjects {
			keys, more = keys[:i], true
			break
		}
		a.Keys = append(a.Keys, key)
		if !q.objects {
			continue
		}
		// An object may have gone since the keys were read.
		if o, stored := h.object(e, key); stored {
			a.Objects = append(a.Objects, o)
			bytes += len(o.Object)
		}
	}
	if more {
		a.Continue = keys[len(keys)-1]
	}
	return a
}

// detail is found if there is an object or something is remembered: who asks for
// a timeline often asks about an object that is gone.
func (h *Handler) detail(e entry, key string) (code int, a answer) {
	d := detail{Now: now(), Informer: stateOf(e), traced: h.options.Timeline != nil}
	d.object, d.Stored = h.object(e, key)
	if d.traced {
		d.Events = h.options.Timeline.Events(e.state.Name, key)
	}
	if !d.Stored && len(d.Events) == 0 {
		return http.StatusNotFound, failure{"informer " + e.id + " has no object " + key}
	}
	return http.StatusOK, d
}

const notShown = "objects are not shown: Options.Objects is off"

func (h *Handler) object(e entry, key string) (o object, stored bool) {
	o.Key = key
	found, stored := e.informer.Object(key)
	if !stored {
		return o, false
	}
	if !h.options.Objects {
		o.Hidden = notShown
		return o, true
	}
	var err error
	if o.Object, err = render(found, e.state.Resource, h.options.Redact); err != nil {
		o.Hidden = "the object is not shown: " + err.Error()
	}
	return o, true
}

func now() time.Time { return time.Now().UTC() }
