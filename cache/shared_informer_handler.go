// The work is done by package informer, which calls the handlers.

package cache

import (
	"fmt"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/informer"
)

// handlerAdapter adapts an untyped handler to a typed informer. A panic of the
// handler ends the process or, if utilruntime.ReallyCrash is false, only the
// notification.
type handlerAdapter[T any] struct {
	handler ResourceEventHandler
	keyOf   func(T) (string, error)
	logger  func() klog.Logger
}

var _ informer.DeletionHandler[any] = handlerAdapter[any]{}

func (h handlerAdapter[T]) OnAdd(obj T, isInInitialList bool) {
	defer utilruntime.HandleCrashWithLogger(h.logger())
	h.handler.OnAdd(obj, isInInitialList)
}

func (h handlerAdapter[T]) OnUpdate(oldObj, newObj T) {
	defer utilruntime.HandleCrashWithLogger(h.logger())
	h.handler.OnUpdate(oldObj, newObj)
}

func (h handlerAdapter[T]) OnDelete(obj T, finalStateUnknown bool) {
	h.OnDeleteWithState(obj, obj, finalStateUnknown)
}

func (h handlerAdapter[T]) OnDeleteWithState(seen, last T, finalStateUnknown bool) {
	defer utilruntime.HandleCrashWithLogger(h.logger())
	if !finalStateUnknown {
		callOnDelete(h.handler, seen, last)
		return
	}
	key, err := h.keyOf(last)
	if err != nil { // a transform has removed its name
		h.logger().Error(err, "Tombstone has no key")
	}
	callOnDelete(h.handler, seen, DeletedFinalStateUnknown{Key: key, Obj: last})
}

// registration implements ResourceEventHandlerRegistration.
type registration struct {
	typed *informer.Registration
	// owner is the typed informer.
	owner any
	name  string
}

var _ ResourceEventHandlerRegistration = (*registration)(nil)

// HasSynced reports whether the handler has processed the whole initial list.
func (r *registration) HasSynced() bool { return r.typed.HasSynced() }

// HasSyncedChecker returns a DoneChecker for HasSynced.
func (r *registration) HasSyncedChecker() DoneChecker {
	return doneChecker{name: r.name, done: r.typed.Synced()}
}

// ShutdownChan returns a channel that is closed when the handler was removed
// and its last call has returned.
func (r *registration) ShutdownChan() <-chan struct{} { return r.typed.Done() }

// ShutDownEventHandler removes a handler and waits until its last call has
// returned. Calling it from the handler itself deadlocks.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	if err := informer.RemoveEventHandler(handle); err != nil {
		return err
	}
	ends, ok := handle.(interface{ ShutdownChan() <-chan struct{} })
	if !ok {
		return fmt.Errorf("waiting for an event handler to end: %T has no method ShutdownChan", handle)
	}
	<-ends.ShutdownChan()
	return nil
}
