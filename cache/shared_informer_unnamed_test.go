package cache_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/informer"
)

// An object without a name in a list or a watch affects no other object.
func TestObjectWithoutNameIsSkipped(t *testing.T) {
	meta := func(name, version string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "d", Name: name, ResourceVersion: version}}
	}
	newSource := func() *cache.ListWatch {
		return &cache.ListWatch{
			ListFunc: func(metav1.ListOptions) (runtime.Object, error) {
				return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "3"},
					Items: []metav1.PartialObjectMetadata{*meta("a", "1"), *meta("", "2"), *meta("b", "3")}}, nil
			},
			WatchFunc: func(metav1.ListOptions) (watch.Interface, error) {
				w := watch.NewFakeWithChanSize(10, false)
				w.Add(meta("", "4"))
				w.Add(meta("c", "5"))
				return w, nil
			},
		}
	}
	want := []string{"d/a", "d/b", "d/c"}
	t.Run("typed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			errs := 0
			typed := informer.New(cache.ToTyped[*metav1.PartialObjectMetadata](newSource()), informer.Options[*metav1.PartialObjectMetadata]{
				WatchErrorHandler: func(context.Context, error) { errs++ },
			})
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- typed.Run(ctx) }()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			var keys []string
			for key := range typed.Keys() {
				keys = append(keys, key)
			}
			require.ElementsMatch(t, want, keys)
			require.Equal(t, 2, errs)
			stop()
			require.NoError(t, <-ended)
		})
	})
	t.Run("cache", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			shared := cache.NewSharedIndexInformer(newSource(), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() { defer close(ended); shared.Run(stop) }()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			keys := shared.GetStore().ListKeys()
			require.Subset(t, keys, want)
			close(stop)
			<-ended
		})
	})
}
