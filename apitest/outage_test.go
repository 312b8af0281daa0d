package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/listener"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// outageKinds are all kinds of outages, with the expected result of a request.
var outageKinds = []struct {
	Outage
	name string
	// code of the response; 0 is none, and err is then the error.
	code int
	err  error
	// lost reports whether a connection during the outage gets no response.
	lost bool
}{
	{Outage{}, "refused", 0, syscall.ECONNREFUSED, false},
	{Outage{Kind: OutageReset}, "reset", 0, nil, true},
	{Outage{Kind: OutageEOF}, "EOF", 0, nil, true},
	{Outage{Kind: OutageHalfOpen}, "half-open", 0, os.ErrDeadlineExceeded, true},
	{Outage{Kind: OutageTruncated}, "truncated", 200, io.ErrUnexpectedEOF, false},
	{Outage{Kind: OutageUnavailable}, "503", 503, nil, false},
	{Outage{Kind: OutageUnavailable, RetryAfter: 1500 * time.Millisecond}, "503 with Retry-After 2", 503, nil, false},
	{Outage{Kind: OutageTooManyRequests}, "429", 429, nil, false},
	{Outage{Kind: OutageTooManyRequests, RetryAfter: time.Second}, "429 with Retry-After 1", 429, nil, false},
}

// getWithTimeout is a get with a short timeout for silent servers.
func getWithTimeout(t *testing.T, srv *Server, client *http.Client, path string) (*http.Response, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, os.ErrDeadlineExceeded)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+path, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	if err != nil {
		return nil, "", errors.Join(err, context.Cause(ctx))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

// An outage begins and ends with a call, for open watches, for requests on
// existing connections, and for new connections. After it, the server works as
// before.
func TestOutage(t *testing.T) {
	for _, outage := range outageKinds {
		require.Equal(t, outage.name, outage.String())
		t.Run(outage.name, func(t *testing.T) {
			onEachTransport(t, func(t *testing.T, srv *Server) {
				client := srv.testClient(t)
				w := openWatch(t, t.Context(), srv, client, "/api/v1/configmaps?watch=true")
				_, err := w.next()
				require.NoError(t, err)
				end := srv.BeginOutage(outage.Outage)
				for range 2 {
					fresh := srv.testClient(t)
					response, _, err := getWithTimeout(t, srv, fresh, oneConfigMap)
					switch {
					case outage.code == 0:
						require.Error(t, err)
						require.Nil(t, response)
					case outage.err == nil:
						require.NoError(t, err)
					}
					if outage.err != nil {
						require.ErrorIs(t, err, outage.err)
					}
					if outage.code != 0 {
						require.Equal(t, outage.code, response.StatusCode)
						want := ""
						if outage.RetryAfter > 0 {
							want = map[int]string{503: "2", 429: "1"}[outage.code]
						}
						require.Equal(t, want, response.Header.Get("Retry-After"))
					}
					fresh.CloseIdleConnections()
				}
				if outage.Kind != OutageHalfOpen {
					_, err = w.next()
					require.Error(t, err, "the watch has ended")
				}
				end()
				end()
				response, body, err := get(t, srv, client, oneConfigMap)
				require.NoError(t, err)
				require.Equal(t, 200, response.StatusCode, body)
				if outage.Kind == OutageHalfOpen {
					put(t, srv.store.Table(configMaps.GroupResource()), storage.Key{Namespace: "default", Name: "a"}, "2", nil)
					e, err := w.next()
					require.NoError(t, err, "the connection works after a short outage")
					require.Equal(t, "MODIFIED", e.Type)
				}
			})
		})
	}
}

// A reset is visible as ECONNRESET and an EOF as io.EOF, on existing and new
// connections without requests.
func TestOutageOfConnections(t *testing.T) {
	srv := NewServer(Options{PlainHTTP: true, NoBuiltinKinds: true})
	defer srv.Close()
	for kind, want := range map[OutageKind]error{OutageReset: syscall.ECONNRESET, OutageEOF: io.EOF} {
		before, err := dialRaw(srv)
		require.NoError(t, err)
		require.NoError(t, waitForConnections(t, srv, 1))
		end := srv.BeginOutage(Outage{Kind: kind})
		_, err = before.Read(make([]byte, 1))
		require.ErrorIs(t, err, want, kind)
		before.Close()
		during, err := dialRaw(srv)
		if err == nil { // the reset may be received this early
			_, err = during.Read(make([]byte, 1))
			during.Close()
		}
		require.ErrorIs(t, err, want, kind)
		end()
	}
}

// waitForConnections waits until the server has accepted n connections.
func waitForConnections(t *testing.T, srv *Server, n int) error {
	t.Helper()
	for inside := 0; ; {
		inside = 0
		srv.listener.EachConnection(func(*listener.Connection) { inside++ })
		if inside == n {
			return nil
		}
		if t.Context().Err() != nil {
			return t.Context().Err()
		}
		time.Sleep(time.Millisecond)
	}
}

// A watch that is opened during a truncating outage gets a header and half of
// an event.
func TestTruncatedWatch(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		defer srv.BeginOutage(Outage{Kind: OutageTruncated})()
		w := openWatch(t, t.Context(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true")
		require.Equal(t, 200, w.StatusCode)
		body, err := io.ReadAll(w.Body)
		require.Error(t, err)
		require.NotEmpty(t, body)
		require.False(t, json.Valid(body))
	})
}

// "When outages overlap, the one that began last applies."
func TestOutagesOverlap(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		codeNow := func() int {
			response, _, err := get(t, srv, client, oneConfigMap)
			if errors.Is(err, syscall.ECONNREFUSED) {
				return 0
			}
			require.NoError(t, err)
			return response.StatusCode
		}
		first := srv.BeginOutage(Outage{Kind: OutageUnavailable})
		second := srv.BeginOutage(Outage{Kind: OutageTooManyRequests})
		refusal := srv.BeginOutage(Outage{})
		third := srv.BeginOutage(Outage{Kind: OutageUnavailable})
		require.Zero(t, codeNow())
		refusal()
		require.Equal(t, 503, codeNow())
		third()
		require.Equal(t, 429, codeNow())
		first()
		require.Equal(t, 429, codeNow())
		second()
		require.Equal(t, 200, codeNow())
	})
}

// A compaction and a rewind during an outage are visible after it.
func TestServerChangesDuringAnOutage(t *testing.T) {
	for _, outage := range outageKinds {
		t.Run(outage.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := NewServer(Options{InMemory: true})
				defer srv.Close()
				before := Create(t, srv, &ConfigMap{ObjectMeta: named("", "a")}).ResourceVersion
				Create(t, srv, &ConfigMap{ObjectMeta: named("", "b")})
				end := srv.BeginOutage(outage.Outage)
				srv.Compact()
				end()
				client := srv.testClient(t)
				w := openWatch(t, t.Context(), srv, client, "/api/v1/configmaps?watch=true&resourceVersion="+before)
				e, err := w.next()
				require.NoError(t, err)
				require.Equal(t, 410, e.Object.Code)

				c := Create(t, srv, &ConfigMap{ObjectMeta: named("", "c")}).ResourceVersion
				end = srv.BeginOutage(outage.Outage)
				srv.RestartFromBackup(1)
				_, _, err = getWithTimeout(t, srv, srv.testClient(t), "/healthz")
				require.True(t, err != nil || outage.code >= 300, "the outage continues")
				end()
				_, body, err := get(t, srv, client, "/api/v1/configmaps")
				require.NoError(t, err)
				require.NotContains(t, body, `"name":"c"`)
				d := Create(t, srv, &ConfigMap{ObjectMeta: named("", "d")}).ResourceVersion
				require.Equal(t, c, d, "the version is assigned again")
			})
		})
	}
}

// In a mounted server, an outage affects the requests.
func TestOutageOfAMountedServer(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	defer srv.Close()
	for _, outage := range outageKinds {
		end := srv.BeginOutage(outage.Outage)
		w := httptest.NewRecorder()
		serve := func() {
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // otherwise the silence would last
			srv.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/healthz", nil))
		}
		if outage.code >= 300 {
			serve()
			require.Equal(t, outage.code, w.Code)
		} else {
			require.PanicsWithValue(t, http.ErrAbortHandler, serve, outage.name)
		}
		end()
	}
}

// An outage ends with its server, and its end does not restart a closed server.
func TestCloseDuringAnOutage(t *testing.T) {
	for _, outage := range outageKinds {
		synctest.Test(t, func(t *testing.T) {
			srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
			client := srv.testClient(t)
			w, err := client.Get(srv.URL + "/healthz")
			require.NoError(t, err)
			w.Body.Close()
			end := srv.BeginOutage(outage.Outage)
			conn, err := srv.Dial(t.Context(), "", "")
			if err == nil {
				defer conn.Close()
			}
			srv.Close()
			end()
			_, err = srv.Dial(t.Context(), "", "")
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
		})
	}
}

func TestInvalidOutages(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	defer srv.Close()
	for _, o := range []Outage{{Kind: -1}, {Kind: OutageTooManyRequests + 1}, {Kind: OutageReset, RetryAfter: 1}, {Kind: OutageUnavailable, RetryAfter: -1}} {
		require.Panics(t, func() { srv.BeginOutage(o) }, o.String())
	}
	require.Nil(t, srv.outages.current.Load())
}
