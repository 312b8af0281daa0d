package apitest

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// A CONNECT is rejected, for an address or a path, and its connection is
// closed.
func TestConnectIsRejected(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	for _, target := range []string{"10.0.0.1:443", "/api/v1/namespaces/default/pods", "/healthz", "/api/v1/namespaces/default/pods/a/portforward"} {
		conn, err := srv.Config().Dial(t.Context(), "tcp", "")
		require.NoError(t, err)
		_, err = io.WriteString(conn, "CONNECT "+target+" HTTP/1.1\r\nHost: 10.0.0.1:443\r\n\r\n")
		require.NoError(t, err)
		in := bufio.NewReader(conn)
		response, err := http.ReadResponse(in, &http.Request{Method: http.MethodGet})
		require.NoError(t, err)
		require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode, target)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Contains(t, string(body), `"reason":"MethodNotAllowed"`)
		_, err = in.ReadByte()
		require.ErrorIs(t, err, io.EOF, "the connection is closed")
		conn.Close()
	}
	// Also when mounted in another server.
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, httptest.NewRequest(http.MethodConnect, "/api/v1/pods", nil))
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
}
