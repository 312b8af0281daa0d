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

// Port 0 is told before anything starts, and handlers and checks of the user's
// own are served beside ours.
func TestServingOnAFreePort(t *testing.T) {
	s := newScene(t, apitest.Options{})
	at, begun := make(chan net.Addr, 1), make(chan int, 1)
	s.options.Serve = controller.HTTP{
		Address: "127.0.0.1:0",
		Listening: func(a net.Addr) {
			begun <- len(s.srv.Requests(apitest.Match{}))
			at <- a
		},
		Handlers: map[string]http.Handler{
			"/metrics":     http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1") }),
			"/debug/pprof": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "profiles") }),
		},
		Alive: map[string]func(*http.Request) error{"disk": func(*http.Request) error { return errors.New("it is full\n[+]ping ok") }},
		Ready: map[string]func(*http.Request) error{"webhook": func(*http.Request) error { return errors.New("no certificate yet") }, "nil": nil},
	}
	s.run(s.controller("maps", nothing))
	address := (<-at).String()
	require.Zero(t, <-begun)
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
	require.Equal(t, "[+]ping ok\n[+]controller/maps ok\n[-]disk failed: it is full; [+]ping ok\nhealthz check failed\n", body)
	code, body = get("/readyz")
	require.Equal(t, 503, code)
	require.Equal(t, "[+]program ok\n[+]informer/configmaps ok\n[-]nil failed: the check is nil\n[-]webhook failed: no certificate yet\nreadyz check failed\n", body)
	code, _ = get("/nowhere")
	require.Equal(t, 404, code)
	response, err := http.Post("http://"+address+"/healthz", "", nil)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, 405, response.StatusCode)
	require.Equal(t, "GET, HEAD", response.Header.Get("Allow"))
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, s.end())
	again, err := net.Listen("tcp", address)
	require.NoError(t, err, "the address is free again")
	again.Close()
}

// /readyz waits for Synced, and controllers do as well.
func TestSyncedComesBeforeTheControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		d := new(diary)
		s.options.Synced = func(context.Context) error {
			require.True(t, s.maps.HasSynced())
			time.Sleep(time.Minute)
			d.note("synced")
			return nil
		}
		s.create("a")
		s.run(s.controller("maps", func(context.Context, controller.Request) (controller.Result, error) {
			d.note("reconcile")
			return controller.Result{}, nil
		}))
		time.Sleep(30 * time.Second)
		code, body := s.get("/readyz")
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]program failed: RunOptions.Synced has not returned yet\n[+]informer/configmaps ok\n")
		time.Sleep(time.Minute)
		require.Equal(t, []string{"synced", "reconcile"}, d.all())
		code, _ = s.get("/readyz")
		require.Equal(t, 200, code)
		require.NoError(t, s.end())
	})
}

// /healthz fails when the election does not work, and when no worker of a
// controller will ever come back; not when a reconcile takes its time.
func TestHealthzFailsWhenARestartHelps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		release := make(chan struct{})
		c := s.one("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		}), controller.Options{ReconcileTimeout: time.Minute, MaxConcurrentReconciles: 2})
		e := newElector(func(string) {})
		s.options.Leader = e
		s.create("a")
		s.run(c...)
		e.lead <- struct{}{}
		time.Sleep(time.Hour)
		code, body := s.get("/healthz")
		require.Equal(t, 200, code, body) // there is a worker left
		s.create("b")
		synctest.Wait()
		time.Sleep(119 * time.Second)
		code, body = s.get("/healthz")
		require.Equal(t, 200, code, body)
		time.Sleep(time.Second)
		code, body = s.get("/healthz")
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]controller/maps failed: all 2 workers are in reconciles that have not returned 1m0s after their ctx has ended, such as that of default/b\n")
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
		require.NoError(t, s.end())
	})
}

// A server that is down is no reason to restart, nor to go elsewhere.
func TestAnOutageFailsNoProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		s.run(s.controller("maps", nothing))
		synctest.Wait()
		s.srv.Stop()
		time.Sleep(10 * time.Minute)
		require.Error(t, s.maps.State().Source.Err)
		for _, path := range []string{"/healthz", "/readyz"} {
			code, body := s.get(path)
			require.Equal(t, 200, code, body)
		}
		require.NoError(t, s.end())
	})
}

// The page shows controllers before informers, and the same as JSON; objects
// only where the user says so; nothing where they do not want it.
func TestTheDebugPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		s.options.Serve = controller.HTTP{Listener: s.door, Debug: debug.Options{
			Sections: func() []debug.Section { return []debug.Section{{Title: "mine", Lines: []string{"all well"}}} },
		}}
		working := make(chan struct{})
		c := s.controller("maps", func(_ context.Context, req controller.Request) (controller.Result, error) {
			switch req.Name {
			case "works":
				<-working
			case "fails":
				return controller.Result{}, errors.New("no such class")
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
  keys      \d queued, 0 waiting to see their writes, 1 being reconciled, 1 to be retried, 0 in quarantine
  so far    \d+ reconciles, \d+ errors, 0 panics, \d+ retries
  works     on default/works for \d+\.?\d*s
  retries   default/fails in \S+, after \d+ failures: no such class

mine
  all well

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
		require.Equal(t, "no such class", state.Retrying[0].Error)
		require.Equal(t, "mine", page.Sections[2].Title)
		require.Equal(t, "configmaps", page.Informers[0].Name)
		_, body = s.get("/debug/?format=html&informer=configmaps")
		require.Contains(t, body, `key=default%2Fworks`)
		close(working)
		require.NoError(t, s.end())
	})
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		s.options.Serve = controller.HTTP{Listener: s.door, NoDebug: true}
		s.run(s.controller("maps", nothing))
		synctest.Wait()
		code, _ := s.get("/debug/")
		require.Equal(t, 404, code)
		require.NoError(t, s.end())
	})
}
