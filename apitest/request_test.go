package apitest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The log says of each request what it was, who made it, and what came of it.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true})
		defer srv.Close()
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		srv.Fault(Fault{On: Match{Name: "coredns"}, Do: Delay(2 * time.Second)})
		begin := time.Now()
		_, _, err := get(t, srv, client, "/api/v1/namespaces/kube-system/configmaps/coredns?pretty=true")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		w := openWatch(t, ctx, srv, client, "/apis/apps/v1/deployments?watch=true")
		all := srv.Requests(Match{})
		require.Equal(t, Request{
			Method: "GET", Path: "/api/v1/namespaces/kube-system/configmaps/coredns", Query: "pretty=true",
			Verb: "get", Version: "v1", Resource: "configmaps", Namespace: "kube-system", Name: "coredns",
			User: User{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}}, UserAgent: "Go-http-client/1.1",
			Code: 404, Start: begin, Duration: 2 * time.Second,
		}, all[0])
		require.Equal(t, "true", all[0].Parameter("pretty"))
		require.Equal(t, "GET /api/v1/namespaces/kube-system/configmaps/coredns?pretty=true 404", all[0].String())
		require.Equal(t, "GET /apis/apps/v1/deployments?watch=true 200, running", all[1].String())
		cancel()
		w.Body.Close()
		synctest.Wait()
		watches := srv.Requests(Match{Verb: "watch", Group: "apps"})
		require.Len(t, watches, 1)
		require.False(t, watches[0].Running)
		srv.ForgetRequests()
		require.Empty(t, srv.Requests(Match{}))
	})
}

// The log is bounded: the newest requests are kept, in order.
func TestRequestsAreBounded(t *testing.T) {
	var log requestLog
	for i := range rememberedRequests + 5 {
		log.begin(&Request{Name: fmt.Sprint(i)})
	}
	all := log.copied()
	require.Len(t, all, rememberedRequests)
	require.Equal(t, "5", all[0].Name)
	require.Equal(t, fmt.Sprint(rememberedRequests+4), all[len(all)-1].Name)
}

// WaitForRequests counts those that have begun; its error says what came
// instead.
func TestWaitForRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true})
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		time.AfterFunc(time.Second, func() {
			for range 2 {
				get(t, srv, client, "/healthz")
			}
		})
		begin := time.Now()
		require.NoError(t, srv.WaitForRequests(t.Context(), Match{Path: "/healthz"}, 2))
		require.Equal(t, time.Second, time.Since(begin))
		time.AfterFunc(time.Second, func() { get(t, srv, client, "/absent") })
		missed := Match{Where: func(r Request) bool { return r.Code == 404 }}
		require.NoError(t, srv.WaitForRequests(t.Context(), missed, 1), "the code is known later than the request")
		srv.ForgetRequests()
		for range 2 {
			get(t, srv, client, "/healthz")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := srv.WaitForRequests(ctx, Match{Verb: "list", Resource: "pods"}, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "apitest: wait for 1 requests (list pods): 0 came; the last of all: GET /healthz 200; GET /healthz 200: context deadline exceeded")
		srv.Close()
		require.ErrorContains(t, srv.WaitForRequests(t.Context(), Match{Verb: "list"}, 1), "the server is closed")
	})
}

// Without faults a request costs the log and nothing else.
func BenchmarkServeHTTP(b *testing.B) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	r, err := http.NewRequest(http.MethodGet, "/healthz", nil)
	require.NoError(b, err)
	for b.Loop() {
		srv.ServeHTTP(&wholeAnswer{header: http.Header{}}, r)
	}
}
