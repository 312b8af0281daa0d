package main

import (
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/netip"
	"path"
	"strings"
)

//go:embed page
var pageFiles embed.FS

// maxBody is the largest body of a request, in bytes.
const maxBody = 4 << 10

// site serves the page and its data.
type site struct {
	view *view
	// host is that of the address to listen on, and allowed as the Host of requests.
	host string
	// streams has an element for each open stream.
	streams chan struct{}
	clone   *clone
}

func newSite(v *view, host string, clone *clone) *site {
	return &site{view: v, host: host, streams: make(chan struct{}, maxStreams), clone: clone}
}

// handler returns the handler of all requests.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { serveFile(w, r, pageFiles, "page/index.html") })
	mux.HandleFunc("GET /page/{file...}", func(w http.ResponseWriter, r *http.Request) {
		serveFile(w, r, pageFiles, path.Join("page", r.PathValue("file")))
	})
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /log", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.view.log()) })
	mux.HandleFunc("GET /timeline", s.timeline)
	mux.HandleFunc("GET /keys", s.keys)
	mux.HandleFunc("GET /chapter/{language}/{name}", s.clone.serveChapter)
	mux.HandleFunc("GET /source/{path...}", s.clone.serveSource)
	mux.Handle("POST /control/{name}", http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.control)))
	return s.guard(mux)
}

// guard sets the headers of every response, and refuses requests for other hosts, which
// a web site can send through DNS rebinding: its name then has the address of this
// program.
func (s *site) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if !allowsHost(r.Host, s.host) {
			http.Error(w, "this host is not allowed: use localhost, an IP address, or the host of -address", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allowsHost reports whether a Host is an IP address, which no web site has as its name,
// localhost, or the own host.
func allowsHost(host, own string) bool {
	name := hostname(host)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || name == hostname(own) && name != "" {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// hostname returns the name in a Host, in lower case and without the port.
func hostname(host string) string {
	if !strings.HasSuffix(host, "]") {
		if i := strings.LastIndexByte(host, ':'); i >= 0 {
			host = host[:i]
		}
	}
	return strings.ToLower(strings.Trim(strings.TrimSuffix(host, "."), "[]"))
}

func (s *site) timeline(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	if key == "" || len(key) > 2*maxArgument {
		writeJSON(w, http.StatusBadRequest, Answer{Message: "the parameter key is required: namespace/name"})
		return
	}
	writeJSON(w, http.StatusOK, s.view.timeline(key))
}

// control uses a control.
func (s *site) control(w http.ResponseWriter, r *http.Request) {
	if of, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || of != "application/json" {
		writeJSON(w, http.StatusUnsupportedMediaType, Answer{Message: "the Content-Type must be application/json"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeJSON(w, http.StatusRequestEntityTooLarge, Answer{Message: "the body is too large"})
		return
	}
	said, err := s.view.controls.use(r.Context(), r.PathValue("name"), body)
	answer, status := Answer{OK: err == nil, Message: said.String(), Code: said.code, Values: said.values}, http.StatusOK
	if err != nil {
		answer.Message, status = textOf(err), statusOf(err)
	}
	writeJSON(w, status, answer)
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, errNoControl):
		return http.StatusNotFound
	case errors.Is(err, errParameter):
		return http.StatusBadRequest
	case errors.Is(err, errUnavailable):
		return http.StatusForbidden
	}
	return http.StatusConflict // it was tried, and has failed
}

func writeJSON(w http.ResponseWriter, code int, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "encode the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(data) // the client may have disconnected
}

// fileTypes are the types of the files of the page.
var fileTypes = map[string]string{
	".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json",
}

func serveFile(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	data, err := fs.ReadFile(files, name)
	of, known := fileTypes[path.Ext(name)]
	if err != nil || !known {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", of+"; charset=utf-8")
	_, _ = w.Write(data)
}
