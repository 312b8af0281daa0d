package shared

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
)

// source is a source without objects. Its list waits for the channel, if there is one.
type source struct{ until chan struct{} }

func (s source) List(metav1.ListOptions) (runtime.Object, error) {
	if s.until != nil {
		<-s.until
	}
	return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
}

func (s source) Watch(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil }

func (s source) informer() clientcache.SharedIndexInformer {
	return interop.NewSharedIndexInformer(s, &corev1.Pod{}, 0, nil)
}

// Promise of Informers: one informer a key; Start starts those that it has not started,
// WaitForCacheSync waits for those that were started, also when its context has ended, and
// Shutdown waits until they have ended, and prevents the start of others.
func TestInformersOfAFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var informers Informers[string]
		require.Empty(t, informers.WaitForCacheSync(nil))
		slow := make(chan struct{})
		first := informers.For("first", source{}.informer)
		require.True(t, first == informers.For("first", nil))
		ctx, cancel := context.WithCancel(t.Context())
		informers.StartWithContext(ctx)
		informers.For("second", source{until: slow}.informer)
		require.Equal(t, map[string]bool{"first": true}, informers.WaitForCacheSync(ctx.Done()))

		informers.Start(ctx.Done())
		soon, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		require.Equal(t, map[string]bool{"first": true, "second": false}, informers.WaitForCacheSyncWithContext(soon))
		require.Equal(t, map[string]bool{"first": true, "second": false}, informers.WaitForCacheSync(soon.Done()))
		close(slow)
		require.Equal(t, map[string]bool{"first": true, "second": true}, informers.WaitForCacheSync(ctx.Done()))

		ended := make(chan struct{})
		for range 2 {
			go func() {
				informers.Shutdown()
				ended <- struct{}{}
			}()
		}
		synctest.Wait()
		select {
		case <-ended:
			t.Fatal("Shutdown has not waited")
		default:
		}
		third := informers.For("third", source{}.informer)
		informers.Start(ctx.Done())
		cancel()
		<-ended
		<-ended
		require.True(t, first.IsStopped())
		synctest.Wait()
		require.False(t, third.HasSynced(), "it was started after Shutdown")
	})
}
