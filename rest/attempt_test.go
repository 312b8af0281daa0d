package rest

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/attempt"
)

// A request with a single attempt, as the reflector sends it, returns the error of
// the first attempt. Nothing below the reflector waits or retries.
func TestASingleAttemptIsNotRetried(t *testing.T) {
	fails := map[string]answer{
		"429 with Retry-After": respondsWith(429, "busy", "Retry-After", "1"),
		"503 with Retry-After": respondsWith(503, "busy", "Retry-After", "1"),
		"503":                  respondsWith(503, "busy"),
		"refused":              failsWith(errRefused),
		"reset":                failsWith(errReset),
		"EOF":                  failsWith(io.EOF),
	}
	requests := map[string]func(context.Context, *Client) error{
		"View.List": func(ctx context.Context, c *Client) error {
			_, err := NewView[*SlimMeta](c, ResourceInfo{GroupVersionResource: coreV1.WithResource("pods")}).List(ctx, metav1.ListOptions{})
			return err
		},
		"View.Watch": func(ctx context.Context, c *Client) error {
			_, err := NewView[*SlimMeta](c, ResourceInfo{GroupVersionResource: coreV1.WithResource("pods")}).Watch(ctx, metav1.ListOptions{})
			return err
		},
		"Request.Stream": func(ctx context.Context, c *Client) error {
			_, err := c.Get().AbsPath("/x").Stream(ctx)
			return err
		},
		"Request.Do": func(ctx context.Context, c *Client) error { return c.Get().AbsPath("/x").Do(ctx).Error() },
	}
	for failure, fail := range fails {
		for name, send := range requests {
			t.Run(failure+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					client, sent := scripted(t, Config{}, fail, respondsWith(200, `{"metadata":{"resourceVersion":"1"}}`))
					require.Error(t, send(attempt.Once(t.Context()), client))
					require.Len(t, sent.requests, 1)
				})
			})
		}
	}
}

// A failure on a later page would discard the pages before it, so that page is
// requested again.
func TestALaterPageIsRetriedInAListWithASingleAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, sent := scripted(t, Config{},
			respondsWith(200, `{"metadata":{"resourceVersion":"8","continue":"c"},"items":[{"name":"a"}]}`),
			respondsWith(429, "busy", "Retry-After", "1"),
			failsWith(errReset),
			respondsWith(200, `{"metadata":{"resourceVersion":"8"},"items":[{"name":"b"}]}`),
		)
		pods := NewView[*SlimMeta](client, ResourceInfo{GroupVersionResource: coreV1.WithResource("pods")})
		list, err := pods.List(attempt.Once(t.Context()), metav1.ListOptions{})
		require.NoError(t, err)
		items, err := list.Slice()
		require.NoError(t, err)
		require.Len(t, items, 2)
		require.Len(t, sent.requests, 4)
	})
}

// A single attempt may be repeated once with fresh credentials.
func TestASingleAttemptIsRepeatedAfter401(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, []byte("old"))
		client, sent := scripted(t, Config{BearerTokenFile: path}, respondsWith(200, `{}`), respondsWith(401, ""), respondsWith(200, `{}`))
		require.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Error())
		write(t, path, []byte("new"))
		require.NoError(t, client.Get().AbsPath("/x").Do(attempt.Once(t.Context())).Error())
		require.Len(t, sent.requests, 3)
		require.Equal(t, "Bearer new", sent.requests[2].Header.Get("Authorization"))
	})
}
