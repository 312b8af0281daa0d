package health

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/thinformer/thinformer/internal/brief"
)

// Check is a named check of a health endpoint. It fails if Run returns an error.
type Check struct {
	Name string
	Run  func(*http.Request) error
	// Remark returns a text that is shown if the check does not fail, "" for none. A nil
	// Remark is skipped.
	Remark func() string
}

// Endpoint responds with 200 if no check fails, and with 503 otherwise.
type Endpoint struct {
	Name string
	// Checks is called for each request, since informers come and go.
	Checks func() []Check
}

// ServeHTTP responds to GET and HEAD in the format of kube-apiserver.
func (e Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, e.Name+": method not allowed, use GET", http.StatusMethodNotAllowed)
		return
	}
	var body strings.Builder
	failed := false
	for _, c := range e.Checks() {
		if err := c.Run(r); err != nil {
			failed = true
			fmt.Fprintf(&body, "[-]%s failed: %s\n", c.Name, oneLine(err.Error()))
		} else {
			fmt.Fprintf(&body, "[+]%s ok%s\n", c.Name, c.remark())
		}
	}
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	switch {
	case failed:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(&body, "%s check failed\n", e.Name)
	case r.URL.Query().Has("verbose"):
		fmt.Fprintf(&body, "%s check passed\n", e.Name)
	default:
		body.Reset()
		body.WriteString("ok")
	}
	_, _ = io.WriteString(w, body.String()) // on an error the client has disconnected
}

// maxCheckText limits the text of one check, in bytes.
const maxCheckText = 16 << 10

// remark returns the end of the line of a check that does not fail.
func (c Check) remark() string {
	if c.Remark == nil {
		return ""
	}
	if text := c.Remark(); text != "" {
		return ": " + oneLine(text)
	}
	return ""
}

// oneLine prevents a message from looking like several checks.
func oneLine(text string) string {
	text = brief.Text(text, maxCheckText)
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
