package interop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// A handler whose imports have been switched can be added to a client-go informer, as in a
// generated factory: it receives tombstones of the type that it expects.
func TestSwitchedHandlersReceiveTombstonesOfClientGo(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	var got any
	var handler clientcache.ResourceEventHandler = cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			gone, ok := obj.(cache.DeletedFinalStateUnknown)
			return ok && gone.Obj == any(pod)
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { got = obj }},
	}
	handler.OnDelete(clientcache.DeletedFinalStateUnknown{Key: "shop/web", Obj: pod})
	assert.Equal(t, cache.DeletedFinalStateUnknown{Key: "shop/web", Obj: pod}, got)

	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(clientcache.DeletedFinalStateUnknown{Key: "shop/web"})
	require.NoError(t, err)
	assert.Equal(t, "shop/web", key)
}
