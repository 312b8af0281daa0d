package informers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/interop/informers"
)

// A tweak is called as by client-go's factory: once for each request, before the options
// say that they are those of a watch. A tweak that replaces all options does not turn a
// watch into a list.
func TestTweakThatReplacesTheOptions(t *testing.T) {
	for name, newFactory := range map[string]func(kubernetes.Interface, func(*metav1.ListOptions)) clientgo.SharedInformerFactory{
		"client-go": func(client kubernetes.Interface, tweak func(*metav1.ListOptions)) clientgo.SharedInformerFactory {
			return clientgo.NewSharedInformerFactoryWithOptions(client, 0, clientgo.WithTweakListOptions(tweak))
		},
		"ours": func(client kubernetes.Interface, tweak func(*metav1.ListOptions)) clientgo.SharedInformerFactory {
			return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(tweak))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			watches, tweaks, requests := 0, 0, 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				requests++
				if strings.Contains(r.URL.RawQuery, "watch=true") {
					watches++
				}
				mu.Unlock()
				http.Error(w, "unavailable", http.StatusForbidden)
			}))
			defer server.Close()
			client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
			require.NoError(t, err)
			factory := newFactory(client, func(options *metav1.ListOptions) {
				mu.Lock()
				defer mu.Unlock()
				tweaks++
				if options.Watch {
					t.Error("the tweak sees a watch")
				}
				*options = metav1.ListOptions{LabelSelector: "app=web"}
			})
			factory.Core().V1().Pods().Informer()
			ctx, cancel := context.WithCancel(t.Context())
			factory.StartWithContext(ctx)
			require.Eventually(t, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return watches > 0
			}, time.Minute, time.Millisecond, "no watch is requested")
			cancel()
			factory.Shutdown()
			mu.Lock()
			defer mu.Unlock()
			require.LessOrEqual(t, requests, tweaks)
		})
	}
}
