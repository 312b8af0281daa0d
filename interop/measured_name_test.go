package interop

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// silent is a provider without metrics.
type silent struct{}

func (silent) NewQueuedItemMetric(clientcache.InformerNameAndResource) clientcache.GaugeMetric {
	return nil
}

func (silent) NewProcessingLatencyMetric(clientcache.InformerNameAndResource) clientcache.HistogramMetric {
	return nil
}

func (silent) NewStoreResourceVersionMetric(clientcache.InformerNameAndResource) clientcache.GaugeMetric {
	return nil
}

// The name of package cache that an informer has for its metrics does not outlive it, also
// if the informer never runs.
func TestAnInformerThatNeverRunsReleasesItsName(t *testing.T) {
	name, err := clientcache.NewInformerName("never run")
	require.NoError(t, err)
	defer name.Release()
	create := func() (reserved string) {
		inf := NewSharedIndexInformerWithOptions(&clientcache.ListWatch{}, &corev1.Pod{}, clientcache.SharedIndexInformerOptions{
			InformerMetricsProvider: silent{}, Identifier: name.WithResource(corev1.SchemeGroupVersion.WithResource("pods")),
		})
		reserved = inf.(*measured).name.Name()
		_, err := cache.NewInformerName(reserved)
		require.Error(t, err)
		runtime.KeepAlive(inf)
		return reserved
	}
	reserved := create()
	require.Eventually(t, func() bool {
		runtime.GC()
		free, err := cache.NewInformerName(reserved)
		free.Release()
		return err == nil
	}, time.Minute, time.Millisecond)
}
