package interop_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/internal/attempt"
)

// Requests of a reflector are not retried by client-go's client either, which otherwise
// retries up to ten times if the server asks for it.
func TestReflectorRequestsAreNotRetriedByClientGo(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	var log requestLog
	client := log.client(t, server.URL, corev1.SchemeGroupVersion.WithKind("Pod"), "application/json")
	source := cache.ToTyped[*corev1.Pod](cache.NewListWatchFromClient(client, "pods", "default", fields.Everything()))
	ctx := attempt.Once(t.Context())

	_, err := source.List(ctx, metav1.ListOptions{})
	require.Error(t, err)
	require.EqualValues(t, 1, requests.Swap(0), "a list")
	_, err = source.Watch(ctx, metav1.ListOptions{})
	require.Error(t, err)
	require.EqualValues(t, 1, requests.Load(), "a watch")
}
