package apitest

import (
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// "Traffic": a list counts as one request regardless of its pages, and so does
// a refused dial and a connection that an outage drops. The peak is that of any
// one second.
func TestTrafficIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Resources: []Resource{{ResourceInfo: configMaps}}})
		defer srv.Close()
		Seed(t, srv, 5, func(i int) *ConfigMap { return &ConfigMap{ObjectMeta: named("", fmt.Sprintf("c%d", i))} })
		// Each request uses a new connection.
		client := &http.Client{Transport: &http.Transport{DialContext: srv.Dial, DisableKeepAlives: true}}
		for next := ""; ; {
			l := ask(t, srv, allConfigMaps+"?limit=2&continue="+next)
			if next = l.Metadata.Continue; next == "" {
				break
			}
		}
		counted := srv.Traffic()
		require.Equal(t, Traffic{Dials: counted.Dials, Requests: 1, Verbs: map[string]int{"list": 1}, Pages: 2, MaxPerSecond: 1}, counted)

		srv.ForgetRequests()
		require.Zero(t, srv.Traffic())
		tried := func(o Outage, n int) {
			end := srv.BeginOutage(o)
			defer end()
			for range n {
				_, _, err := getWithTimeout(t, srv, client, oneConfigMap)
				require.Error(t, err)
			}
		}
		tried(Outage{}, 2)
		require.Equal(t, Traffic{Refused: 2, Requests: 2, MaxPerSecond: 2}, srv.Traffic())
		time.Sleep(2 * time.Second)
		tried(Outage{Kind: OutageReset}, 3)
		tried(Outage{Kind: OutageEOF}, 1)
		require.Equal(t, Traffic{Dials: 4, Refused: 2, Lost: 4, Requests: 6, MaxPerSecond: 4}, srv.Traffic())
		for range 3 { // 0.6 s apart: two within any second
			time.Sleep(600 * time.Millisecond)
			_, _, err := get(t, srv, client, oneConfigMap)
			require.NoError(t, err)
		}
		counted = srv.Traffic()
		require.Equal(t, Traffic{Dials: 7, Refused: 2, Lost: 4, Requests: 9, Verbs: map[string]int{"get": 3}, MaxPerSecond: 5}, counted)
		counted.Verbs["get"] = 0
		require.Equal(t, 3, srv.Traffic().Verbs["get"], "the counts are a copy")
	})
}

// A frozen connection whose request is received later counts as one request.
func TestTrafficOfAFrozenConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
		defer srv.Close()
		end := srv.BeginOutage(Outage{Kind: OutageHalfOpen})
		done := make(chan error, 1)
		client := srv.testClient(t)
		go func() {
			response, err := client.Get(srv.URL + "/healthz")
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			done <- err
		}()
		synctest.Wait()
		require.Equal(t, Traffic{Dials: 1, Lost: 1, Requests: 1, MaxPerSecond: 1}, srv.Traffic())
		time.Sleep(time.Minute)
		end()
		require.NoError(t, <-done)
		require.Equal(t, Traffic{Dials: 1, Requests: 1, Verbs: map[string]int{"get": 1}, MaxPerSecond: 1}, srv.Traffic())
	})
}

// On sockets, refused dials are counted if they use Server.Dial.
func TestTrafficOnSockets(t *testing.T) {
	srv := NewServer(Options{})
	defer srv.Close()
	_, _, err := get(t, srv, srv.testClient(t), "/healthz")
	require.NoError(t, err)
	end := srv.BeginOutage(Outage{})
	for range 2 {
		_, _, err := get(t, srv, srv.testClient(t), "/healthz")
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
	}
	end()
	counted := srv.Traffic()
	require.Equal(t, 1, counted.Dials)
	require.Equal(t, 2, counted.Refused)
	require.Equal(t, 3, counted.Requests)
}
