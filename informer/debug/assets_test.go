package debug

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// The script and the style sheet are served below any path, with their types, and only
// these files.
func TestFiles(t *testing.T) {
	h := New(Options{})
	get := func(method, query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/any/path?file="+query, nil))
		return w
	}
	for name, want := range map[string][2]string{"page.css": {"text/css; charset=utf-8", styleSheet}, "page.js&v=old": {"text/javascript; charset=utf-8", script}} {
		w := get(http.MethodGet, name)
		require.Equal(t, http.StatusOK, w.Code, name)
		require.Equal(t, want[0], w.Header().Get("Content-Type"))
		require.Equal(t, want[1], w.Body.String())
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		require.Contains(t, w.Header().Get("Cache-Control"), "immutable")
		require.Equal(t, http.StatusMethodNotAllowed, get(http.MethodPost, name).Code)
	}
	for _, name := range []string{"page.html", "..%2Fpage.js", "handler.go", "%2Fetc%2Fpasswd"} {
		w := get(http.MethodGet, name)
		require.Equal(t, http.StatusNotFound, w.Code, name)
		require.Contains(t, w.Body.String(), "no file ")
		require.NotContains(t, w.Body.String(), "package debug")
	}
}

// Requests with the Host of another site get no file either.
func TestFilesCheckTheHost(t *testing.T) {
	server := httptest.NewServer(New(Options{}))
	defer server.Close()
	r, err := http.NewRequest(http.MethodGet, server.URL+"?file=page.js", nil)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	r.Host = "attacker.example:" + port
	answer, err := server.Client().Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusForbidden, answer.StatusCode)
}
