package apitest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/rest"
)

const oneConfigMap = "/api/v1/namespaces/default/configmaps/a"

// onEachTransport runs a test of faults in a bubble with pipes, over loopback
// with HTTP/1.1, and over loopback with TLS and HTTP/2. The client must see the
// same.
func onEachTransport(t *testing.T, test func(t *testing.T, srv *Server)) {
	serve := func(t *testing.T, options Options) {
		options.NoBuiltinKinds = true
		options.Resources = []Resource{{ResourceInfo: configMaps}}
		srv := NewServer(options)
		defer srv.Close()
		put(t, srv.store.Table(configMaps.GroupResource()), storage.Key{Namespace: "default", Name: "a"}, "1", nil)
		test(t, srv)
	}
	t.Run("in a bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { serve(t, Options{InMemory: true}) })
	})
	t.Run("plain", func(t *testing.T) { serve(t, Options{PlainHTTP: true}) })
	t.Run("with TLS", func(t *testing.T) { serve(t, Options{}) })
}

// get sends a request and reads the whole response.
func get(t *testing.T, srv *Server, client *http.Client, path string) (*http.Response, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+path, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

// restClient is a client of this module, which retries nothing that a test
// should see.
func restClient(t *testing.T, srv *Server) *rest.View[*metav1.PartialObjectMetadata] {
	t.Helper()
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return rest.NewView[*metav1.PartialObjectMetadata](client, configMaps).Namespace("default")
}

// Fail responds with the Status of a code, and Retry-After.
func TestFail(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		fault := srv.Fault(Fault{Times: 1, Action: Fail(http.StatusTooManyRequests, 1500*time.Millisecond)})
		response, body, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 429, response.StatusCode)
		require.Equal(t, "2", response.Header.Get("Retry-After"), "seconds, rounded up")
		var status metav1.Status
		require.NoError(t, json.Unmarshal([]byte(body), &status))
		require.Equal(t, metav1.StatusReasonTooManyRequests, status.Reason)
		require.EqualValues(t, 2, status.Details.RetryAfterSeconds)
		response, _, err = get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
		require.Equal(t, 1, fault.Fired())
	})
}

// The response for a code has the reason by which apimachinery recognizes it.
func TestFailHasTheReasonOfItsCode(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Resources: []Resource{{ResourceInfo: configMaps}}})
	defer srv.Close()
	view := restClient(t, srv)
	for code, isExpected := range map[int]func(error) bool{
		400: apierrors.IsBadRequest, 401: apierrors.IsUnauthorized, 403: apierrors.IsForbidden, 404: apierrors.IsNotFound,
		409: apierrors.IsConflict, 410: apierrors.IsResourceExpired, 429: apierrors.IsTooManyRequests,
		500: apierrors.IsInternalError, 503: apierrors.IsServiceUnavailable, 504: apierrors.IsTimeout,
	} {
		fault := srv.Fault(Fault{Action: Fail(code, 0)})
		_, err := view.Get(context.Background(), "a", metav1.GetOptions{})
		require.True(t, isExpected(err), "%d: %v", code, err)
		fault.Remove()
	}
	srv.Fault(Fault{Action: FailWith(apierrors.NewNotFound(schema.GroupResource{Resource: "widgets"}, "w"))})
	_, err := view.Get(context.Background(), "a", metav1.GetOptions{})
	require.ErrorContains(t, err, `widgets "w" not found`)
}

// Refuse refuses connections at the same port, until its duration ends or
// Remove.
func TestRefuse(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
		_, err := w.next()
		require.NoError(t, err)
		fault := srv.Fault(Fault{Match: Match{Verb: "get"}, Times: 1, Action: Refuse(0)})
		_, _, err = get(t, srv, client, oneConfigMap)
		require.Error(t, err)
		_, err = w.next()
		require.Error(t, err, "other connections are closed too")
		for range 2 {
			_, _, err = get(t, srv, client, oneConfigMap)
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
		}
		fault.Remove()
		_, _, err = get(t, srv, client, oneConfigMap)
		require.NoError(t, err)

		srv.Fault(Fault{Match: Match{Verb: "get"}, Times: 1, Action: Refuse(100 * time.Millisecond)})
		_, _, err = get(t, srv, client, oneConfigMap)
		require.Error(t, err)
		require.Eventually(t, func() bool {
			_, _, err = get(t, srv, client, oneConfigMap)
			return err == nil
		}, 5*time.Second, 10*time.Millisecond)
	})
}

// Reset causes ECONNRESET, not EOF.
func TestReset(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		// On a new connection, since net/http retries requests on idle connections.
		conn, err := dialRaw(srv)
		require.NoError(t, err)
		defer conn.Close()
		srv.Fault(Fault{Match: Match{Verb: "get"}, Action: Reset()})
		_, err = conn.Write([]byte("GET " + oneConfigMap + " HTTP/1.1\r\nHost: apitest\r\n\r\n"))
		require.NoError(t, err)
		_, err = io.ReadAll(conn)
		require.ErrorIs(t, err, syscall.ECONNRESET)

		_, err = restClient(t, srv).Get(t.Context(), "a", metav1.GetOptions{})
		require.Error(t, err)
	})
}

// With HTTP/2, every request on the connection fails.
func TestResetWithHTTP2(t *testing.T) {
	srv := NewServer(Options{Resources: []Resource{{ResourceInfo: configMaps}}})
	defer srv.Close()
	client := srv.testClient(t)
	w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
	require.Equal(t, 2, w.ProtoMajor)
	srv.Fault(Fault{Match: Match{Verb: "get"}, Times: 1, Action: Reset()})
	_, _, err := get(t, srv, client, oneConfigMap)
	require.Error(t, err)
	_, err = w.next()
	require.Error(t, err)
	require.NotErrorIs(t, err, io.EOF)
}

// Delay holds a request back until Remove.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
		defer srv.Close()
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		took := func() time.Duration {
			begin := time.Now()
			_, _, err := get(t, srv, client, "/healthz")
			require.NoError(t, err)
			return time.Since(begin)
		}
		srv.Fault(Fault{Action: Delay(2 * time.Second)})
		require.Equal(t, 2*time.Second, took())
		long := srv.Fault(Fault{Action: Delay(time.Hour)})
		time.AfterFunc(5*time.Second, long.Remove)
		require.Equal(t, 5*time.Second, took())
	})
}

// Silence sends no response while the connection stays open and serves other
// requests. The request continues after Remove.
func TestSilence(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		fault := srv.Fault(Fault{Match: Match{Name: "a"}, Action: Silence()})
		done := make(chan error, 1)
		go func() {
			_, _, err := get(t, srv, client, oneConfigMap)
			done <- err
		}()
		require.NoError(t, srv.WaitForRequests(t.Context(), Match{Name: "a"}, 1))
		_, _, err := get(t, srv, client, "/healthz")
		require.NoError(t, err)
		require.Empty(t, done)
		fault.Remove()
		require.NoError(t, <-done)
	})
}

// Silent requests end when their client disconnects, and on Close.
func TestSilenceEndsWithItsClientAndWithTheServer(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		srv.Fault(Fault{Match: Match{Name: "a"}, Action: Silence()})
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+oneConfigMap, nil)
		require.NoError(t, err)
		go func() {
			srv.WaitForRequests(context.Background(), Match{Name: "a"}, 1)
			cancel()
		}()
		_, err = client.Do(request)
		require.ErrorIs(t, err, context.Canceled)
		failed := make(chan error)
		go func() {
			_, _, err := get(t, srv, client, oneConfigMap)
			failed <- err
		}()
		require.NoError(t, srv.WaitForRequests(t.Context(), Match{Name: "a"}, 2))
		srv.Close()
		require.Error(t, <-failed)
	})
}

// Freeze stops every byte on the connection without closing it.
func TestFreezeStopsAllBytes(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
		_, err := w.next()
		require.NoError(t, err)
		fault := srv.Fault(Fault{Match: Match{Verb: "watch"}, Action: AfterEvents(1, Freeze())})
		frozen := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true")
		_, err = frozen.next()
		require.NoError(t, err)
		table := srv.store.Table(configMaps.GroupResource())
		put(t, table, storage.Key{Namespace: "default", Name: "a"}, "2", nil)
		e, err := w.next()
		require.NoError(t, err, "other connections work")
		require.Equal(t, "2", e.Object.Data["value"])
		read := make(chan event, 1)
		go func() {
			e, _ := frozen.next()
			read <- e
		}()
		require.Empty(t, read)
		fault.Remove()
		require.Equal(t, "2", (<-read).Object.Data["value"])
	})
}

// Respond sends arbitrary responses.
func TestRespond(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		fault := srv.Fault(Fault{Action: HTML()})
		response, body, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
		require.Contains(t, body, "<html>")
		_, err = restClient(t, srv).Get(t.Context(), "a", metav1.GetOptions{})
		require.ErrorContains(t, err, "html")
		fault.Remove()
		srv.Fault(Fault{Action: Respond(http.StatusBadGateway, "text/plain", "no upstream")})
		response, body, err = get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 502, response.StatusCode)
		require.Equal(t, "no upstream", body)
	})
}

// TruncateJSON sends half of the JSON as a complete response. Break loses the
// connection in the middle.
func TestTruncateJSONAndBreak(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		_, whole, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		fault := srv.Fault(Fault{Action: TruncateJSON()})
		response, body, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
		require.Equal(t, whole[:len(whole)/2], body)
		_, err = restClient(t, srv).Get(t.Context(), "a", metav1.GetOptions{})
		require.Error(t, err)
		fault.Remove()

		srv.Fault(Fault{Action: Break()})
		_, body, err = get(t, srv, client, oneConfigMap)
		require.Error(t, err)
		require.Equal(t, whole[:len(whole)/2], body)
	})
}

// A client that checks kinds rejects another kind than the requested one.
func TestClientsRejectAWrongKind(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		srv.Fault(Fault{Action: WrongKind()})
		_, body, err := get(t, srv, srv.testClient(t), oneConfigMap)
		require.NoError(t, err)
		var typed metav1.TypeMeta
		require.NoError(t, json.Unmarshal([]byte(body), &typed))
		require.Equal(t, "Unexpected", typed.Kind)
		w := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true")
		e, err := w.next()
		require.NoError(t, err)
		require.Equal(t, "ADDED", e.Type)
		require.Equal(t, "Unexpected", e.Object.Kind)
	})
}

// Delay, Silence and Reset compose on one request.
func TestFaultsOfOneRequestCompose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
		defer srv.Close()
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		srv.Fault(Fault{Action: Delay(time.Second)})
		srv.Fault(Fault{Action: Delay(2 * time.Second)})
		srv.Fault(Fault{Action: Fail(500, 0)})
		begin := time.Now()
		response, _, err := get(t, srv, client, "/healthz")
		require.NoError(t, err)
		require.Equal(t, 500, response.StatusCode)
		require.Equal(t, 3*time.Second, time.Since(begin))
	})
}

// In a mounted server, faults cannot reset or freeze connections. They affect
// the request instead.
func TestFaultsWhenMounted(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	defer srv.Close()
	srv.Fault(Fault{Action: Reset()})
	r, err := http.NewRequest(http.MethodGet, "/healthz", strings.NewReader(""))
	require.NoError(t, err)
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { srv.ServeHTTP(nil, r) })
}

// dialRaw returns a connection to the server, with TLS if it has it.
func dialRaw(srv *Server) (net.Conn, error) {
	if srv.options.InMemory {
		return srv.listener.Dial(context.Background())
	}
	if srv.tls != nil {
		return dialTLS(srv)
	}
	return net.Dial("tcp", srv.listener.DialAddress())
}
