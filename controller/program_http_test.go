package controller_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer/debug"
)

// Listening is called with the port before anything starts. Additional handlers and
// checks are served.
func TestHTTPServesAdditionalHandlersAndChecks(t *testing.T) {
	s := newTestProgram(t, apitest.Options{})
	at, requestsBefore := make(chan net.Addr, 1), make(chan int, 1)
	s.options.Serve = controller.HTTP{
		Address: "127.0.0.1:0",
		OnListen: func(a net.Addr) {
			requestsBefore <- len(s.srv.Requests(apitest.Match{}))
			at <- a
		},
		Handlers: map[string]http.Handler{
			"/metrics":     http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1") }),
			"/debug/pprof": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "profiles") }),
		},
		HealthzChecks: map[string]func(*http.Request) error{"disk": func(*http.Request) error { return errors.New("disk full\n[+]ping ok") }},
		ReadyzChecks:  map[string]func(*http.Request) error{"webhook": func(*http.Request) error { return errors.New("no certificate") }, "nil": nil},
	}
	s.run(s.newController("maps", doNothing))
	address := (<-at).String()
	require.Zero(t, <-requestsBefore)
	get := func(path string) (int, string) {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Get("http://" + address + path)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	require.NoError(t, s.maps.WaitForSync(t.Context()))
	for path, want := range map[string]string{"/metrics": "up 1", "/debug/pprof": "profiles"} {
		_, body := get(path)
		require.Equal(t, want, body)
	}
	code, body := get("/healthz")
	require.Equal(t, 503, code)
	require.Equal(t, "[+]ping ok\n[+]controller/maps ok\n[-]disk failed: disk full; [+]ping ok\nhealthz check failed\n", body)
	code, body = get("/readyz")
	require.Equal(t, 503, code)
	require.Equal(t, "[+]program ok\n[+]informer/configmaps ok\n[-]nil failed: the check is nil\n[-]webhook failed: no certificate\nreadyz check failed\n", body)
	code, _ = get("/nowhere")
	require.Equal(t, 404, code)
	response, err := http.Post("http://"+address+"/healthz", "", nil)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, 405, response.StatusCode)
	require.Equal(t, "GET, HEAD", response.Header.Get("Allow"))
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, s.stopAndWait())
	again, err := net.Listen("tcp", address)
	require.NoError(t, err, "the address is not free")
	again.Close()
}

// /readyz fails and no controller runs until Synced has returned.
func TestSyncedIsCalledBeforeTheControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		events := new(recorder)
		s.options.Synced = func(context.Context) error {
			require.True(t, s.maps.HasSynced())
			time.Sleep(time.Minute)
			events.add("synced")
			return nil
		}
		s.create("a")
		s.run(s.newController("maps", func(context.Context, controller.Request) (controller.Result, error) {
			events.add("reconcile")
			return controller.Result{}, nil
		}))
		time.Sleep(30 * time.Second)
		code, body := s.get("/readyz")
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]program failed: RunOptions.Synced has not returned yet\n[+]informer/configmaps ok\n")
		time.Sleep(time.Minute)
		require.Equal(t, []string{"synced", "reconcile"}, events.all())
		code, _ = s.get("/readyz")
		require.Equal(t, 200, code)
		require.NoError(t, s.stopAndWait())
	})
}

// /healthz fails when the election does not work, and when all workers of a controller
// have exceeded ReconcileTimeout by far. A single slow reconcile does not fail it.
func TestHealthzFailsWhenARestartHelps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		release := make(chan struct{})
		c := s.newControllers("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		}), controller.Options{ReconcileTimeout: time.Minute, MaxConcurrentReconciles: 2})
		e := newFakeElector(func(string) {})
		s.options.Leader = e
		s.create("a")
		s.run(c...)
		e.lead <- struct{}{}
		time.Sleep(time.Hour)
		code, body := s.get("/healthz")
		require.Equal(t, 200, code, body) // one worker is free
		s.create("b")
		synctest.Wait()
		time.Sleep(119 * time.Second)
		code, body = s.get("/healthz")
		require.Equal(t, 200, code, body)
		time.Sleep(time.Second)
		code, body = s.get("/healthz")
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]controller/maps failed: all 2 workers are in reconciles that have not returned 1m0s after their ctx ended, for example of default/b\n")
		close(release)
		synctest.Wait()
		code, _ = s.get("/healthz")
		require.Equal(t, 200, code)
		e.check = errors.New("the lease was not renewed for 20s")
		code, body = s.get("/healthz")
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]leader failed: the lease was not renewed for 20s\n")
		_, body = s.get("/debug/?format=text")
		require.Contains(t, body, "  phase     running its controllers\n  election  the lease was not renewed for 20s\n")
		require.NoError(t, s.stopAndWait())
	})
}

// An outage of the server fails neither /healthz nor /readyz, which has the reason.
func TestOutageDoesNotFailHealthChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.run(s.newController("maps", doNothing))
		synctest.Wait()
		s.srv.Stop()
		time.Sleep(10 * time.Minute)
		require.Error(t, s.maps.State().Source.Err)
		for _, path := range []string{"/healthz", "/readyz"} {
			code, body := s.get(path)
			require.Equal(t, 200, code, body)
		}
		const remark = "[+]informer/configmaps ok: the cache keeps its last state, since the source fails: watch configmaps from version "
		_, body := s.get("/readyz?verbose")
		require.Contains(t, body, remark)
		s.srv.Start()
		time.Sleep(5 * time.Second)
		require.Error(t, s.maps.State().Source.Err)
		_, body = s.get("/readyz?verbose")
		require.Contains(t, body, "[+]informer/configmaps ok\n", "it watches again")
		require.NoError(t, s.stopAndWait())
	})
}

// The debug page shows the program, the controllers and the informers, as text, JSON and
// HTML. NoDebug disables it.
func TestDebugPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.options.Serve = controller.HTTP{Listener: s.listener, Debug: debug.Options{
			Sections: func() []debug.Section { return []debug.Section{{Title: "custom", Lines: []string{"a line"}}} },
		}}
		working := make(chan struct{})
		c := s.newController("maps", func(_ context.Context, req controller.Request) (controller.Result, error) {
			switch req.Name {
			case "works":
				<-working
			case "fails":
				return controller.Result{}, errors.New("unknown class")
			}
			return controller.Result{}, nil
		})
		s.create("fails")
		s.create("works")
		s.run(c)
		time.Sleep(5 * time.Second)
		_, body := s.get("/debug/?format=text")
		require.Regexp(t, `^program
  phase     running its controllers

controller maps
  state     running, \S+( synced)?
  keys      \d queued, 0 waiting for their writes, 1 being reconciled, 1 to be retried, 0 in quarantine
  totals    \d+ reconciles, \d+ errors, 0 panics, \d+ retries
  working   on default/works for \d+\.?\d*s
  retrying  default/fails in \S+, after \d+ failures: unknown class

custom
  a line

1 informers at .*
`, body)
		_, body = s.get("/debug/?format=json")
		var page struct {
			Sections []struct {
				Title string
				State struct {
					Name, Phase   string
					Running       bool
					RetryingCount int
					Working       []struct{ Key string }
					Retrying      []struct{ Key, Error string }
				}
			}
			Informers []struct{ Name string }
		}
		require.NoError(t, json.Unmarshal([]byte(body), &page))
		require.Equal(t, "running its controllers", page.Sections[0].State.Phase)
		state := page.Sections[1].State
		require.Equal(t, "maps", state.Name)
		require.True(t, state.Running)
		require.Equal(t, "default/works", state.Working[0].Key)
		require.Equal(t, "unknown class", state.Retrying[0].Error)
		require.Equal(t, "custom", page.Sections[2].Title)
		require.Equal(t, "configmaps", page.Informers[0].Name)
		_, body = s.get("/debug/?format=html&informer=configmaps")
		require.Contains(t, body, `key=default%2Fworks`)
		_, body = s.get("/debug/?format=html")
		require.Contains(t, body, `<h2>program <strong class="badge healthy">Healthy</strong></h2>`)
		require.Contains(t, body, `<h2>controller maps <strong class="badge healthy">Healthy</strong></h2>`)
		require.Contains(t, body, "<h2>custom</h2>", "a section without Problems has no health")
		close(working)
		require.NoError(t, s.stopAndWait())
	})
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.options.Serve = controller.HTTP{Listener: s.listener, NoDebug: true}
		s.run(s.newController("maps", doNothing))
		synctest.Wait()
		code, _ := s.get("/debug/")
		require.Equal(t, 404, code)
		require.NoError(t, s.stopAndWait())
	})
}

// On a loopback listener, requests for other host names are rejected on every path.
// Requests for localhost and for the names in HTTP.Hosts are served.
func TestHostIsCheckedOnLoopback(t *testing.T) {
	s := newTestProgram(t, apitest.Options{})
	at := make(chan net.Addr, 1)
	s.options.Serve = controller.HTTP{
		Address: "127.0.0.1:0", OnListen: func(a net.Addr) { at <- a }, Hosts: []string{"proxy.example.com"},
		Handlers: map[string]http.Handler{"/metrics": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})},
	}
	s.run(s.newController("maps", doNothing))
	address := (<-at).String()
	require.NoError(t, s.maps.WaitForSync(t.Context()))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"/healthz", "/readyz", "/debug/", "/metrics"} {
		for host, want := range map[string]int{"": 200, "localhost:8080": 200, "proxy.example.com": 200, "evil.example.com": 403, "evil.example.com:8080": 403} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
			require.NoError(t, err)
			r.Host = host
			response, err := client.Do(r)
			require.NoError(t, err)
			response.Body.Close()
			require.Equal(t, want, response.StatusCode, "%s of %q", path, host)
		}
	}
	require.NoError(t, s.stopAndWait())
}

// HTTP.MaxConnections limits the number of open connections.
func TestMaxConnectionsIsApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{InMemory: true})
		release := make(chan struct{})
		s.options.Serve = controller.HTTP{Listener: s.listener, MaxConnections: 1, Handlers: map[string]http.Handler{
			"/wait": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }),
		}}
		s.run(s.newController("maps", doNothing))
		synctest.Wait()
		codes := make(chan int)
		go func() {
			code, _ := s.get("/wait")
			codes <- code
		}()
		synctest.Wait()
		code, _ := s.get("/healthz")
		require.Zero(t, code, "the only connection has a request")
		close(release)
		require.Equal(t, 200, <-codes)
		synctest.Wait() // until the server has closed the connection
		code, _ = s.get("/healthz")
		require.Equal(t, 200, code)
		require.NoError(t, s.stopAndWait())
	})
}
