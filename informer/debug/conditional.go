package debug

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
)

// unchanged answers a conditional request with 304 if the page has not changed, and
// reports whether it did. It decides from the State of the informers, before keys and
// objects are read: the version of a store changes with its content, and for several
// namespaces that of a namespace does. Otherwise it sets
// the ETag of the answer.
//
// The script of the page updates it with such requests. It could keep a connection
// open instead, but then Shutdown of the program's http.Server would wait for it.
func (h *Handler) unchanged(w http.ResponseWriter, r *http.Request, a answer) bool {
	content, ok := a.(interface{ version() []any })
	if !ok || !a.frame().live {
		return false
	}
	version := content.version()
	if version == nil {
		return false
	}
	hash := fnv.New64a()
	if json.NewEncoder(hash).Encode(append(version, h.started, h.assets)) != nil {
		return false // cannot happen: times and states can be encoded
	}
	// The tag is weak, because pages of one state differ by their ages.
	tag := fmt.Sprintf(`W/"%x"`, hash.Sum64())
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") != tag {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(http.StatusNotModified)
	return true
}

// version returns the content of the page without its time.
func (a overview) version() []any {
	all := []any{versionsOf(a.Informers...)}
	for _, s := range a.Sections {
		all = append(all, s.Title, s.lines, textsOf(s.problems))
	}
	return all
}

// version is nil if the page may change without a change of the State, which does not
// have all namespaces.
func (a *listing) version() []any {
	if a.Informer.NamespaceCount > len(a.Informer.versionsIn) {
		return nil
	}
	return append(versionsOf(a.Informer), a.Informer.versionsIn)
}

// version is nil for the same reason.
func (d *detail) version() []any {
	if d.Informer.NamespaceCount > len(d.Informer.versionsIn) {
		return nil
	}
	return append(versionsOf(d.Informer), d.Informer.versionsIn, d.Stored, d.Events)
}

func versionsOf(informers ...informerState) (all []any) {
	for _, s := range informers {
		all = append(all, s, textsOf(s.problems))
	}
	return all
}

func textsOf(problems []problem) (texts []any) {
	for _, p := range problems {
		texts = append(texts, p.Problem, p.since, p.retryAt)
	}
	return texts
}

// read reads the keys.
func (a *listing) read() {
	if a.load != nil {
		a.load()
	}
}

// read reads the object.
func (d *detail) read() {
	if d.load != nil {
		d.load()
	}
}
