package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// wholeAnswer holds an answer back until it is whole, so that it can be
// changed.
type wholeAnswer struct {
	out    *answer
	header http.Header
	code   int
	body   bytes.Buffer
	// broken answers stop before their end.
	broken bool
}

func (a *wholeAnswer) by(user User) { a.out.by(user) }

// Header is of http.ResponseWriter.
func (a *wholeAnswer) Header() http.Header { return a.header }

// WriteHeader is of http.ResponseWriter.
func (a *wholeAnswer) WriteHeader(code int) {
	if a.code == 0 {
		a.code = code
	}
}

// Write is of http.ResponseWriter.
func (a *wholeAnswer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush is of http.Flusher.
func (a *wholeAnswer) Flush() {}

// uncompressed is the request of a client that understands no compression:
// bytes that are to be changed have to be read first.
func uncompressed(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding")
	return r
}

// rewrite changes the body of what succeeded.
func (a *wholeAnswer) rewrite(by []func([]byte) []byte) {
	if a.code >= 300 {
		return
	}
	body := a.body.Bytes()
	for _, f := range by {
		body = f(body)
	}
	a.body = *bytes.NewBuffer(body)
}

// send is the answer, or the first half of it.
func (a *wholeAnswer) send() {
	w := a.out
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(a.body.Len()))
	if a.code != 0 {
		w.WriteHeader(a.code)
	}
	if !a.broken {
		// The client may have gone: there is nobody else to tell.
		_, _ = w.Write(a.body.Bytes())
		return
	}
	if _, err := w.Write(a.body.Bytes()[:a.body.Len()/2]); err == nil {
		w.Flush()
	}
	panic(http.ErrAbortHandler)
}

// TruncateJSON sends half of an answer as if it were all of it: it is no JSON,
// though nothing else is wrong with it. [Break] loses the connection instead.
func TruncateJSON() Action {
	return Action{text: "send half of the JSON", verb: "!watch", rewrite: func(body []byte) []byte {
		return body[:len(body)/2]
	}}
}

// WrongKind answers with another kind of object than was asked for. In a watch,
// each object is of that kind.
func WrongKind() Action {
	return Action{
		text: "answer with another kind", rewrite: otherKind,
		events: func(at *scene) disturbance { return &wrongKind{scene: at} },
	}
}

// otherKind calls an object something that no server has.
func otherKind(object []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	fields["kind"], fields["apiVersion"] = json.RawMessage(`"Unexpected"`), json.RawMessage(`"apitest.invalid/v1"`)
	text, err := json.Marshal(fields)
	if err != nil {
		return object
	}
	return text
}

// StaleList answers a list as it was some versions ago, as a server does that
// lags behind, whatever version the client asks for. Pages after the first are
// of the list that they continue.
func StaleList(behind uint64) Action {
	return Action{text: fmt.Sprintf("list the state of %d versions ago", behind), verb: "list", ask: func(at *scene) *http.Request {
		query := at.r.URL.Query()
		if query.Get("continue") != "" {
			return at.r
		}
		r := at.r.Clone(at.r.Context())
		query.Set("resourceVersion", strconv.FormatUint(at.server.ago(at.r, behind), 10))
		query.Set("resourceVersionMatch", "Exact")
		r.URL.RawQuery = query.Encode()
		return r
	}}
}

// ago is a version that lies back, as far as its history is known.
func (s *Server) ago(r *http.Request, behind uint64) uint64 {
	now := s.store.current()
	asked := uint64(1)
	if behind < now {
		asked = now - behind
	}
	at, _ := parsePath(r.URL.Path)
	res := s.registry.find(at.GroupVersionResource)
	if res == nil {
		return asked
	}
	if _, err := res.table.follow(asked); err != nil {
		if older := (tooOld{}); errors.As(err, &older) {
			return older.oldest
		}
	}
	return asked
}
