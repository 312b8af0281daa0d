package resourcetest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// silent is a transport that records the times of lists and does not answer them. It does
// not stream initial events.
type silent struct {
	mu    sync.Mutex
	begun time.Time
	times []time.Duration
}

// RoundTrip implements [http.RoundTripper].
func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Has("watch") {
		return &http.Response{
			StatusCode: http.StatusUnprocessableEntity, Header: http.Header{"Content-Type": {"application/json"}},
			Body:    io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)),
			Request: r,
		}, nil
	}
	s.mu.Lock()
	s.times = append(s.times, time.Since(s.begun).Round(time.Millisecond))
	s.mu.Unlock()
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// sent returns the times of the requests.
func (s *silent) sent() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.times))
}

// counting is a rate limiter that counts the requests that it admits.
type counting struct {
	flowcontrol.RateLimiter
	mu    sync.Mutex
	count int
}

// Wait implements [flowcontrol.RateLimiter].
func (c *counting) Wait(ctx context.Context) error {
	c.mu.Lock()
	c.count++
	c.mu.Unlock()
	return c.RateLimiter.Wait(ctx)
}

func (c *counting) admitted() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// CompareRateLimits requires that the first lists of 20 informers and 10 lists of the
// client are sent at the same times as by client-go, for each form of a rate limit: they
// share it. The watches before them have none. List calls the List of a resource.
func CompareRateLimits[C any](t *testing.T, libraries Libraries[C], list func(context.Context, C, schema.GroupVersionResource) error) {
	const informers, all = 20, 30
	after := func(burst int, interval time.Duration) (times []time.Duration) {
		for i := range all {
			times = append(times, time.Duration(max(0, i-burst+1))*interval)
		}
		return times
	}
	for name, test := range map[string]struct {
		config  rest.Config
		limiter func() flowcontrol.RateLimiter
		want    []time.Duration
	}{
		"default":    {want: after(10, 200*time.Millisecond)},
		"configured": {config: rest.Config{QPS: 20, Burst: 25}, want: after(25, 50*time.Millisecond)},
		"a rate":     {config: rest.Config{QPS: 2}, want: after(10, 500*time.Millisecond)},
		"a burst":    {config: rest.Config{Burst: 20}, want: after(20, 200*time.Millisecond)},
		"none":       {config: rest.Config{QPS: -1}, want: after(all, 0)},
		"a limiter": {
			config:  rest.Config{QPS: 100, Burst: 100}, // the limiter replaces both
			limiter: func() flowcontrol.RateLimiter { return flowcontrol.NewTokenBucketRateLimiter(2, 5) },
			want:    after(5, 500*time.Millisecond),
		},
	} {
		t.Run(name, func(t *testing.T) {
			for library, of := range libraries.inOrder {
				t.Run(library, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						config, server, limiter := test.config, &silent{begun: time.Now()}, &counting{}
						config.Host, config.Transport = "http://server", server
						if test.limiter != nil {
							limiter.RateLimiter = test.limiter()
							config.RateLimiter = limiter
						}
						client, err := of.Client(&config)
						require.NoError(t, err)
						factory := of.All(client, 0)
						for i := range informers {
							factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: fmt.Sprintf("things%d", i)})
						}
						ctx, cancel := context.WithCancel(t.Context())
						defer factory.Shutdown()
						defer cancel()
						factory.Start(ctx.Done())
						var lists sync.WaitGroup
						defer lists.Wait()
						defer cancel()
						for range all - informers {
							lists.Go(func() {
								if list(ctx, client, Pods) == nil {
									t.Error("the server has answered")
								}
							})
						}
						time.Sleep(25 * time.Second) // ours ends a silent request after 30 s
						synctest.Wait()
						require.Equal(t, test.want, server.sent())
						if test.limiter != nil {
							require.Equal(t, all, limiter.admitted())
						}
					})
				})
			}
		})
	}
}
