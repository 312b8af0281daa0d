package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/e2e/plane"
)

// started is the real server that the tests share; the first that asks starts
// it.
var started = sync.OnceValues(func() (*plane.Plane, error) {
	return plane.Start(context.Background(), plane.Options{})
})

var asked sync.Once

func TestMain(m *testing.M) {
	code := m.Run()
	ran := true
	asked.Do(func() { ran = false })
	if ran {
		if real, err := started(); err == nil {
			if err := real.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

// server is a real kube-apiserver, asked as its administrator.
type server struct {
	t      *testing.T
	client *http.Client
	url    string
	token  string
}

func real(t *testing.T) *server {
	t.Helper()
	asked.Do(func() {})
	running, err := started()
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(running.CA))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &server{t, &http.Client{Transport: transport}, running.URL, running.Tokens[plane.Admin]}
}

// ask sends a request and returns the answer's code and object.
func (s *server) ask(method, path string, body any) (code int, answer map[string]any) {
	s.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	request, err := http.NewRequestWithContext(context.WithoutCancel(s.t.Context()), method, s.url+path, bytes.NewReader(text))
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("User-Agent", "tables")
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	response, err := s.client.Do(request)
	require.NoError(s.t, err)
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	require.NoError(s.t, err)
	answer = map[string]any{}
	require.NoError(s.t, decode(text, &answer), "%s", text)
	return response.StatusCode, answer
}

// must is ask where nothing may go wrong.
func (s *server) must(method, path string, body any) map[string]any {
	s.t.Helper()
	code, answer := s.ask(method, path, body)
	require.Less(s.t, code, 300, "%s %s: %v", method, path, answer["message"])
	return answer
}
