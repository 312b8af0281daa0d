package rest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// answer is one thing that a script answers to a request.
type answer func(*http.Request) (*http.Response, error)

// script answers requests, one after the other, with what it was given, and
// keeps what it has been asked. It is for one goroutine.
type script struct {
	t       testing.TB
	answers []answer
	asked   []*http.Request
	bodies  []string
}

func (s *script) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		require.NoError(s.t, err)
		require.NoError(s.t, request.Body.Close())
		s.bodies = append(s.bodies, string(body))
	}
	s.asked = append(s.asked, request)
	if len(s.asked) > len(s.answers) {
		return nil, errors.New("the script has no more answers")
	}
	return s.answers[len(s.asked)-1](request)
}

// says is an answer with a status, a body and headers, key and value in turn.
func says(code int, body string, headers ...string) answer {
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

// breaks is a connection that fails.
func breaks(err error) answer {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// scripted is a client whose server is a script.
func scripted(t testing.TB, config Config, answers ...answer) (*Client, *script) {
	t.Helper()
	s := &script{t: t, answers: answers}
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
