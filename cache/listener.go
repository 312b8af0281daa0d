package cache

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/informer"
)

// A listener is an untyped handler as a typed informer takes it. What a panic of the
// handler costs is for utilruntime.ReallyCrash to say: the process, or if that is
// false one notification.
type listener[T any] struct {
	handler ResourceEventHandler
	keyOf   func(T) (string, error)
	logger  func() klog.Logger
}

var _ informer.DeletionHandler[any] = listener[any]{}

func (h listener[T]) OnAdd(obj T, isInInitialList bool) {
	defer utilruntime.HandleCrashWithLogger(h.logger())
	h.handler.OnAdd(obj, isInInitialList)
}

func (h listener[T]) OnUpdate(oldObj, newObj T) {
	defer utilruntime.HandleCrashWithLogger(h.logger())
	h.handler.OnUpdate(oldObj, newObj)
}

func (h listener[T]) OnDelete(obj T, finalStateUnknown bool) {
	h.OnDeleteAfter(obj, obj, finalStateUnknown)
}

func (h listener[T]) OnDeleteAfter(seen, last T, finalStateUnknown bool) {
	defer utilruntime.HandleCrashWithLogger(h.logger())
	if !finalStateUnknown {
		tellDelete(h.handler, seen, last)
		return
	}
	key, err := h.keyOf(last)
	if err != nil { // a transform has taken its name away
		h.logger().Error(err, "A tombstone has no key")
	}
	tellDelete(h.handler, seen, DeletedFinalStateUnknown{Key: key, Obj: last})
}
