package rest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
)

// A rate.Limiter is a RateLimiter, as the doc comment on Config says.
var _ RateLimiter = (*rate.Limiter)(nil)

func okAnswers(n int) (answers []answer) {
	for range n {
		answers = append(answers, respondsWith(200, "ok"))
	}
	return answers
}

// There is no client-side rate limit by default.
func TestThereIsNoLimitByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, config := range []Config{{}, {QPS: -1}, {QPS: -1, Burst: 10}} {
			client, _ := scripted(t, config, okAnswers(1000)...)
			require.Nil(t, client.GroupVersion(coreV1).GetRateLimiter())
			begun := time.Now()
			for range 1000 {
				_, err := client.Get().DoRaw(t.Context())
				require.NoError(t, err)
			}
			require.Zero(t, time.Since(begun))
		}
	})
}

func TestQPSAndBurstLimitAllGroupsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := scripted(t, Config{QPS: 10, Burst: 5}, okAnswers(25)...)
		begun := time.Now()
		for i := range 25 {
			gv := coreV1
			if i%2 == 0 {
				gv = appsV1
			}
			_, err := client.GroupVersion(gv).Get().DoRaw(t.Context())
			require.NoError(t, err)
		}
		require.InDelta(t, 2*time.Second, time.Since(begun), float64(10*time.Millisecond))
	})
	client, _ := scripted(t, Config{QPS: 2.5})
	require.Equal(t, 3, client.GroupVersion(coreV1).GetRateLimiter().(*rate.Limiter).Burst())
	_, err := New(&Config{Host: "https://server", Burst: 10})
	require.ErrorContains(t, err, "create a client: the config's Burst is 10 and its QPS is 0")
}

// counting is a limiter that accepts every request or none.
type counting struct {
	waits int
	err   error
}

func (c *counting) Wait(context.Context) error {
	c.waits++
	return c.err
}

// Every attempt waits for the limiter. A watch waits only for a limiter set with
// Throttle.
func TestWhichRequestsWaitForTheLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := &counting{}
		client, _ := scripted(t, Config{RateLimiter: limiter, QPS: 1}, respondsWith(429, "", "Retry-After", "1"), respondsWith(200, ""), respondsWith(200, ""), respondsWith(200, ""), respondsWith(200, ""), respondsWith(200, ""))
		require.Equal(t, RateLimiter(limiter), client.GroupVersion(coreV1).GetRateLimiter())
		_, err := client.Get().DoRaw(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, limiter.waits)

		_, err = client.Get().Stream(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3, limiter.waits)

		_, err = client.GroupVersion(coreV1).Get().Resource("pods").withVerb(verbWatch).open(t.Context(), true)
		require.NoError(t, err)
		require.Equal(t, 3, limiter.waits, "a watch does not wait")

		own := &counting{}
		_, err = client.Get().Throttle(own).DoRaw(t.Context())
		require.NoError(t, err)
		_, err = client.Get().withVerb(verbWatch).Throttle(own).open(t.Context(), true)
		require.NoError(t, err)
		require.Equal(t, 2, own.waits)
		require.Equal(t, 3, limiter.waits)
	})
}

func TestTheErrorOfALimiterIsReturned(t *testing.T) {
	no := errors.New("not today")
	client, sent := scripted(t, Config{RateLimiter: &counting{err: no}})
	_, err := client.GroupVersion(coreV1).Get().Resource("pods").DoRaw(t.Context())
	require.ErrorIs(t, err, no)
	require.EqualError(t, err, "list pods: wait for the rate limiter: not today")
	require.Empty(t, sent.requests)

	synctest.Test(t, func(t *testing.T) { // the wait ends with the context
		client, _ := scripted(t, Config{QPS: 0.01, Burst: 1}, okAnswers(1)...)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := client.Get().DoRaw(ctx)
		require.NoError(t, err)
		time.AfterFunc(time.Second, cancel)
		_, err = client.Get().DoRaw(ctx)
		require.ErrorIs(t, err, context.Canceled)
	})
}
