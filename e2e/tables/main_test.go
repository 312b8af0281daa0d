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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/e2e/plane"
)

// started returns the real server that the tests share. The first call starts it.
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

// server sends requests to a real kube-apiserver as its administrator.
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

// ask sends a request and returns the code and the object of the response. It waits for a
// server that is not ready for the request yet: the watch cache of a resource
// answers 429 until it is filled.
func (s *server) ask(method, path string, body any) (code int, answer map[string]any) {
	s.t.Helper()
	for late := time.After(2 * time.Minute); ; {
		code, answer = s.askOnce(method, path, body)
		if code != http.StatusTooManyRequests {
			return code, answer
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-late:
			return code, answer
		}
	}
}

func (s *server) askOnce(method, path string, body any) (code int, answer map[string]any) {
	s.t.Helper()
	code, text := s.raw(method, path, body)
	answer = map[string]any{}
	require.NoError(s.t, decode(text, &answer), "%s", text)
	return code, answer
}

// raw sends a request and returns the answer's code and body.
func (s *server) raw(method, path string, body any) (code int, text []byte) {
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
	return response.StatusCode, text
}

// must sends a request like ask, and fails the test if it does not succeed.
func (s *server) must(method, path string, body any) map[string]any {
	s.t.Helper()
	code, answer := s.ask(method, path, body)
	require.Less(s.t, code, 300, "%s %s: %v", method, path, answer["message"])
	return answer
}
