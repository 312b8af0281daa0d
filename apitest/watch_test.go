package apitest

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// anObject is a draft of a config map.
func anObject(t testing.TB, k key, value string, labels map[string]string) draft {
	t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"value": value}}}
	obj.SetNamespace(k.namespace)
	obj.SetName(k.name)
	obj.SetLabels(labels)
	encoded, err := encode(obj)
	require.NoError(t, err)
	return encoded
}

// put stores an object, whatever was there.
func put(t testing.TB, in *table, k key, value string, labels map[string]string) *record {
	t.Helper()
	for {
		now, err := in.commit(k, in.get(k), anObject(t, k, value, labels))
		if err == errMoved {
			continue
		}
		require.NoError(t, err)
		return now
	}
}

// event as a client reads it.
type event struct {
	Type   string
	Object struct {
		Kind     string
		Message  string
		Code     int
		Reason   string
		Metadata struct {
			Name, Namespace, ResourceVersion string
			Labels, Annotations              map[string]string
		}
		Data map[string]string
	}
}

// String is a short form of an event.
func (e event) String() string {
	return e.Type + " " + e.Object.Metadata.Name + "@" + e.Object.Metadata.ResourceVersion
}

// testClient reaches the server by connections of its own, one for all requests
// where there is HTTP/2.
func (s *Server) testClient(t testing.TB) *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true}
	if s.options.InMemory {
		transport.DialContext = s.door.dial
	}
	if s.tls != nil {
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM(s.tls.authority))
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// watched is a watch that is being read.
type watched struct {
	*http.Response
	lines *bufio.Reader
}

func openWatch(t testing.TB, ctx context.Context, s *Server, client *http.Client, path string) *watched {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { response.Body.Close() })
	return &watched{response, bufio.NewReader(response.Body)}
}

func (w *watched) next() (e event, err error) {
	line, err := w.lines.ReadBytes('\n')
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(line, &e)
}

func decodeInto(w *watched, into any) error { return json.NewDecoder(w.lines).Decode(into) }
