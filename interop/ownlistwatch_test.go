package interop_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientgorest "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/cache"
)

// The line in docs/migration.md declares that the source of a ListWatch streams, if the
// client is real, and that it does not, if the client is a fake.
func TestOwnListWatchDeclaresWhetherItStreams(t *testing.T) {
	streams := func(clientset kubernetes.Interface) bool {
		list := func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			return clientset.CoreV1().Pods("").List(ctx, opts)
		}
		watch := func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return clientset.CoreV1().Pods("").Watch(ctx, opts)
		}
		lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{ListWithContextFunc: list, WatchFuncWithContext: watch}, clientset)
		declared, ok := lw.(interface{ IsWatchListSemanticsUnSupported() bool })
		require.True(t, ok)
		return !declared.IsWatchListSemanticsUnSupported()
	}
	require.True(t, streams(kubernetes.NewForConfigOrDie(&clientgorest.Config{})))
	require.False(t, streams(fake.NewClientset()))
}
