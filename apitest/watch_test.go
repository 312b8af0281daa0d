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

	"github.com/thinformer/thinformer/apitest/internal/modeltest"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// event is an event as a client decodes it.
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

// String returns a short form of the event.
func (e event) String() string {
	return e.Type + " " + e.Object.Metadata.Name + "@" + e.Object.Metadata.ResourceVersion
}

// testClient returns a client with its own connections, a single one with
// HTTP/2.
func (s *Server) testClient(t testing.TB) *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true, DialContext: s.Dial}
	if s.tls != nil {
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM(s.tls.Authority))
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// watchClient is the client side of a watch.
type watchClient struct {
	*http.Response
	lines *bufio.Reader
}

func openWatch(t testing.TB, ctx context.Context, s *Server, client *http.Client, path string) *watchClient {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { response.Body.Close() })
	return &watchClient{response, bufio.NewReader(response.Body)}
}

func (w *watchClient) next() (e event, err error) {
	line, err := w.lines.ReadBytes('\n')
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(line, &e)
}

func decodeInto(w *watchClient, target any) error { return json.NewDecoder(w.lines).Decode(target) }

// put stores an object, in place of any existing one.
func put(t testing.TB, table *storage.Table, k storage.Key, value string, labels map[string]string) *storage.Record {
	t.Helper()
	for {
		now, err := table.Commit(k, table.Get(k), modeltest.ConfigMap(t, k.Namespace, k.Name, value, labels))
		if err == storage.ErrConflict {
			continue
		}
		require.NoError(t, err)
		return now
	}
}
