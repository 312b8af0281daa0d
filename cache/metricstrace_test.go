package cache

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"
)

// An informer with an identity tells how long its queue is, how long a batch
// took, and which version its store has.
func TestInformerTellsItsMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider := new(figures)
		m := newMarket("1", "a@1")
		i := NewSharedIndexInformerWithOptions(m, nil, SharedIndexInformerOptions{
			Identifier: informerName(t, "shop").WithResource(pods), InformerMetricsProvider: provider,
		})
		defer run(t, i)()
		m.tell(watch.Added, ware("b@2"))
		told := provider.told()
		require.Contains(t, told, "shop version 2")
		require.Contains(t, told, "shop queued 0")
		require.Contains(t, strings.Join(told, "\n"), "shop latency ")
		bookmark := ware("x@9")
		m.tell(watch.Bookmark, bookmark)
		require.Contains(t, provider.told(), "shop version 9")
	})
}
