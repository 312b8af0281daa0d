package rest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// answer returns one response of a script.
type answer func(*http.Request) (*http.Response, error)

// scriptedTransport responds to requests with its answers, one after the other, and records the
// requests. It is not safe for concurrent use.
type scriptedTransport struct {
	t        testing.TB
	answers  []answer
	requests []*http.Request
	bodies   []string
}

func (s *scriptedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		require.NoError(s.t, err)
		require.NoError(s.t, request.Body.Close())
		s.bodies = append(s.bodies, string(body))
	}
	s.requests = append(s.requests, request)
	if len(s.requests) > len(s.answers) {
		return nil, errors.New("the script has no more answers")
	}
	return s.answers[len(s.requests)-1](request)
}

// respondsWith returns an answer with a status, a body and headers as alternating keys and
// values.
func respondsWith(code int, body string, headers ...string) answer {
	return func(request *http.Request) (*http.Response, error) {
		response := &http.Response{
			StatusCode: code, Header: http.Header{}, Request: request,
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		}
		for i := 0; i < len(headers); i += 2 {
			response.Header.Add(headers[i], headers[i+1])
		}
		if strings.HasPrefix(body, "{") && response.Header["Content-Type"] == nil {
			response.Header.Set("Content-Type", "application/json")
		}
		return response, nil
	}
}

// failsWith returns an answer that fails with err.
func failsWith(err error) answer {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// roundTripperFunc is a function that implements http.RoundTripper.
type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// scripted returns a client whose server is a script.
func scripted(t testing.TB, config Config, answers ...answer) (*Client, *scriptedTransport) {
	t.Helper()
	s := &scriptedTransport{t: t, answers: answers}
	config.Transport = s
	if config.Host == "" {
		config.Host = "https://server:6443"
	}
	client, err := New(&config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client, s
}

var (
	coreV1 = schema.GroupVersion{Version: "v1"}
	appsV1 = schema.GroupVersion{Group: "apps", Version: "v1"}
)

// write replaces a file atomically, as programs that renew credentials do.
func write(t testing.TB, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", content, 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}
