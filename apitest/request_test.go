package apitest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/fault"
)

// An entry of the log contains the request, its user, and its result.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true})
		defer srv.Close()
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		srv.Fault(Fault{Match: Match{Name: "coredns"}, Action: Delay(2 * time.Second)})
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

// The log is bounded: it keeps the newest requests, in order.
func TestRequestsAreBounded(t *testing.T) {
	var log requestLog
	for i := range maxLoggedRequests + 5 {
		log.begin(&Request{Name: fmt.Sprint(i)})
	}
	all := log.all()
	require.Len(t, all, maxLoggedRequests)
	require.Equal(t, "5", all[0].Name)
	require.Equal(t, fmt.Sprint(maxLoggedRequests+4), all[len(all)-1].Name)
}

// WaitForRequests counts requests that have begun. Its error contains the last
// requests.
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
		missed := Match{Filter: func(r Request) bool { return r.Code == 404 }}
		require.NoError(t, srv.WaitForRequests(t.Context(), missed, 1), "the code is recorded after the request")
		srv.ForgetRequests()
		for range 2 {
			get(t, srv, client, "/healthz")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := srv.WaitForRequests(ctx, Match{Verb: "list", Resource: "pods"}, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "apitest: wait for 1 requests (list pods): 0 received; last requests: GET /healthz 200; GET /healthz 200: context deadline exceeded")
		srv.Close()
		require.ErrorContains(t, srv.WaitForRequests(t.Context(), Match{Verb: "list"}, 1), "the server was closed")
	})
}

// Without faults, a request only adds an entry to the log.
func BenchmarkServeHTTP(b *testing.B) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	r, err := http.NewRequest(http.MethodGet, "/healthz", nil)
	require.NoError(b, err)
	for b.Loop() {
		srv.ServeHTTP(fault.NewBuffer(nil, false), r)
	}
}
