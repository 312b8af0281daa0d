//go:build !through

package behaviour

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// The informers of the cases: here they are created directly, and in through_test.go by a
// factory.

func newSharedInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration) cache.SharedInformer {
	return cache.NewSharedInformer(lw, example, resync)
}

func newSharedIndexInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(lw, example, resync, indexers)
}

// madeByFactories returns the number of informers that a factory has created.
func madeByFactories() int { return 0 }
