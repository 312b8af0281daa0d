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

	"github.com/thinformer/thinformer/rest"
)

const oneConfigMap = "/api/v1/namespaces/default/configmaps/a"

// inEachWay runs a test of faults in a bubble with pipes, and over loopback
// with HTTP/1.1, and with TLS and HTTP/2: a client sees the same in each.
func inEachWay(t *testing.T, test func(t *testing.T, srv *Server)) {
	serve := func(t *testing.T, options Options) {
		options.Bare = true
		options.Resources = []Resource{{ResourceInfo: configMaps}}
		srv := NewServer(options)
		defer srv.Close()
		put(t, srv.store.table(configMaps.GroupResource()), key{"default", "a"}, "1", nil)
		test(t, srv)
	}
	t.Run("in a bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { serve(t, Options{InMemory: true}) })
	})
	t.Run("plain", func(t *testing.T) { serve(t, Options{Plain: true}) })
	t.Run("with TLS", func(t *testing.T) { serve(t, Options{}) })
}

// get is one request, with the answer read to its end.
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

// restClient is ours, which repeats nothing that a test should see.
func restClient(t *testing.T, srv *Server) *rest.View[*metav1.PartialObjectMetadata] {
	t.Helper()
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return rest.NewView[*metav1.PartialObjectMetadata](client, configMaps).Namespace("default")
}

// Fail answers with the Status of a code, and Retry-After.
func TestFail(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		fault := srv.Fault(Fault{Times: 1, Do: Fail(http.StatusTooManyRequests, 1500*time.Millisecond)})
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

// Each code brings the reason by which apimachinery knows it.
func TestFailHasTheReasonOfItsCode(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Resources: []Resource{{ResourceInfo: configMaps}}})
	defer srv.Close()
	view := restClient(t, srv)
	for code, is := range map[int]func(error) bool{
		400: apierrors.IsBadRequest, 401: apierrors.IsUnauthorized, 403: apierrors.IsForbidden, 404: apierrors.IsNotFound,
		409: apierrors.IsConflict, 410: apierrors.IsResourceExpired, 429: apierrors.IsTooManyRequests,
		500: apierrors.IsInternalError, 503: apierrors.IsServiceUnavailable, 504: apierrors.IsTimeout,
	} {
		fault := srv.Fault(Fault{Do: Fail(code, 0)})
		_, err := view.Get(context.Background(), "a", metav1.GetOptions{})
		require.True(t, is(err), "%d: %v", code, err)
		fault.Lift()
	}
	srv.Fault(Fault{Do: FailWith(apierrors.NewNotFound(schema.GroupResource{Resource: "widgets"}, "w"))})
	_, err := view.Get(context.Background(), "a", metav1.GetOptions{})
	require.ErrorContains(t, err, `widgets "w" not found`)
}

// Refuse is a real refusal, at the same port, and ends by itself or by Lift.
func TestRefuse(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
		_, err := w.next()
		require.NoError(t, err)
		fault := srv.Fault(Fault{On: Match{Verb: "get"}, Times: 1, Do: Refuse(0)})
		_, _, err = get(t, srv, client, oneConfigMap)
		require.Error(t, err)
		_, err = w.next()
		require.Error(t, err, "other connections are lost too")
		for range 2 {
			_, _, err = get(t, srv, client, oneConfigMap)
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
		}
		fault.Lift()
		_, _, err = get(t, srv, client, oneConfigMap)
		require.NoError(t, err)

		srv.Fault(Fault{On: Match{Verb: "get"}, Times: 1, Do: Refuse(100 * time.Millisecond)})
		_, _, err = get(t, srv, client, oneConfigMap)
		require.Error(t, err)
		require.Eventually(t, func() bool {
			_, _, err = get(t, srv, client, oneConfigMap)
			return err == nil
		}, 5*time.Second, 10*time.Millisecond)
	})
}

// Reset is a reset and not an end of the connection.
func TestReset(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		// On a connection of its own, for net/http repeats a request whose
		// connection had been idle.
		conn, err := dialed(srv)
		require.NoError(t, err)
		defer conn.Close()
		srv.Fault(Fault{On: Match{Verb: "get"}, Do: Reset()})
		_, err = conn.Write([]byte("GET " + oneConfigMap + " HTTP/1.1\r\nHost: apitest\r\n\r\n"))
		require.NoError(t, err)
		_, err = io.ReadAll(conn)
		require.ErrorIs(t, err, syscall.ECONNRESET)

		_, err = restClient(t, srv).Get(t.Context(), "a", metav1.GetOptions{})
		require.Error(t, err)
	})
}

// With HTTP/2, every request on the connection is lost.
func TestResetWithHTTP2(t *testing.T) {
	srv := NewServer(Options{Resources: []Resource{{ResourceInfo: configMaps}}})
	defer srv.Close()
	client := srv.testClient(t)
	w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
	require.Equal(t, 2, w.ProtoMajor)
	srv.Fault(Fault{On: Match{Verb: "get"}, Times: 1, Do: Reset()})
	_, _, err := get(t, srv, client, oneConfigMap)
	require.Error(t, err)
	_, err = w.next()
	require.Error(t, err)
	require.NotErrorIs(t, err, io.EOF)
}

// Delay holds a request back; lifted, it lets it go.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, Bare: true})
		defer srv.Close()
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		took := func() time.Duration {
			begin := time.Now()
			_, _, err := get(t, srv, client, "/healthz")
			require.NoError(t, err)
			return time.Since(begin)
		}
		srv.Fault(Fault{Do: Delay(2 * time.Second)})
		require.Equal(t, 2*time.Second, took())
		long := srv.Fault(Fault{Do: Delay(time.Hour)})
		time.AfterFunc(5*time.Second, long.Lift)
		require.Equal(t, 5*time.Second, took())
	})
}

// Silence answers nothing while the connection stays up and others on it are
// answered, and goes on when it is lifted.
func TestSilence(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		fault := srv.Fault(Fault{On: Match{Name: "a"}, Do: Silence()})
		answered := make(chan error, 1)
		go func() {
			_, _, err := get(t, srv, client, oneConfigMap)
			answered <- err
		}()
		require.NoError(t, srv.WaitForRequests(t.Context(), Match{Name: "a"}, 1))
		_, _, err := get(t, srv, client, "/healthz")
		require.NoError(t, err)
		require.Empty(t, answered)
		fault.Lift()
		require.NoError(t, <-answered)
	})
}

// A client that goes, and Close, end what is silent.
func TestSilenceEndsWithItsClientAndWithTheServer(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		srv.Fault(Fault{On: Match{Name: "a"}, Do: Silence()})
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

// A connection that two faults have frozen goes on when both are lifted.
func TestFreezesCompose(t *testing.T) {
	for _, lifts := range [][2]int{{0, 1}, {1, 0}} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			conn := &connection{Conn: ours, door: new(door), gone: make(chan struct{})}
			var until [2]chan struct{}
			for i := range until {
				until[i] = make(chan struct{})
				conn.freeze(until[i])
			}
			read := make(chan bool, 1)
			go func() {
				_, err := theirs.Read(make([]byte, 1))
				read <- err == nil
			}()
			go conn.Write([]byte("x"))
			close(until[lifts[0]])
			synctest.Wait()
			require.Empty(t, read)
			close(until[lifts[1]])
			require.True(t, <-read)
			conn.freeze(make(chan struct{}))
			go conn.Write([]byte("y"))
			synctest.Wait()
			conn.Close() // and no write waits any longer
		})
	}
}

// Freeze stops every byte on the connection without closing it.
func TestFreeze(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
		_, err := w.next()
		require.NoError(t, err)
		fault := srv.Fault(Fault{On: Match{Verb: "watch"}, Do: AfterEvents(1, Freeze())})
		frozen := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true")
		_, err = frozen.next()
		require.NoError(t, err)
		table := srv.store.table(configMaps.GroupResource())
		put(t, table, key{"default", "a"}, "2", nil)
		e, err := w.next()
		require.NoError(t, err, "other connections go on")
		require.Equal(t, "2", e.Object.Data["value"])
		read := make(chan event, 1)
		go func() {
			e, _ := frozen.next()
			read <- e
		}()
		require.Empty(t, read)
		fault.Lift()
		require.Equal(t, "2", (<-read).Object.Data["value"])
	})
}

// What is no answer of an API server comes as it was asked for.
func TestRespond(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		fault := srv.Fault(Fault{Do: HTML()})
		response, body, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
		require.Contains(t, body, "<html>")
		_, err = restClient(t, srv).Get(t.Context(), "a", metav1.GetOptions{})
		require.ErrorContains(t, err, "html")
		fault.Lift()
		srv.Fault(Fault{Do: Respond(http.StatusBadGateway, "text/plain", "no upstream")})
		response, body, err = get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 502, response.StatusCode)
		require.Equal(t, "no upstream", body)
	})
}

// Half of the JSON, whole as an answer; or the connection lost in the middle.
func TestTruncateJSONAndBreak(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		_, whole, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		fault := srv.Fault(Fault{Do: TruncateJSON()})
		response, body, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
		require.Equal(t, whole[:len(whole)/2], body)
		_, err = restClient(t, srv).Get(t.Context(), "a", metav1.GetOptions{})
		require.Error(t, err)
		fault.Lift()

		srv.Fault(Fault{Do: Break()})
		_, body, err = get(t, srv, client, oneConfigMap)
		require.Error(t, err)
		require.Equal(t, whole[:len(whole)/2], body)
	})
}

// Another kind than was asked for is refused by a client that looks.
func TestWrongKind(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		srv.Fault(Fault{Do: WrongKind()})
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

// Delays, silence and resets compose on one request.
func TestFaultsOfOneRequestFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, Bare: true})
		defer srv.Close()
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		srv.Fault(Fault{Do: Delay(time.Second)})
		srv.Fault(Fault{Do: Delay(2 * time.Second)})
		srv.Fault(Fault{Do: Fail(500, 0)})
		begin := time.Now()
		response, _, err := get(t, srv, client, "/healthz")
		require.NoError(t, err)
		require.Equal(t, 500, response.StatusCode)
		require.Equal(t, 3*time.Second, time.Since(begin))
	})
}

// A server that is mounted in another one has no connections of its own: what
// would reset or freeze them does the next best.
func TestFaultsWhenMounted(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Bare: true})
	defer srv.Close()
	srv.Fault(Fault{Do: Reset()})
	r, err := http.NewRequest(http.MethodGet, "/healthz", strings.NewReader(""))
	require.NoError(t, err)
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { srv.ServeHTTP(nil, r) })
}

// dialed is a connection to the server with nothing around it but TLS.
func dialed(srv *Server) (net.Conn, error) {
	if srv.options.InMemory {
		return srv.door.dial(context.Background(), "", "")
	}
	if srv.tls != nil {
		return dialTLS(srv)
	}
	return net.Dial("tcp", srv.door.address)
}
