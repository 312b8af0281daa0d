package cache

import (
	"fmt"

	"github.com/thinformer/thinformer/informer"
)

// registration is a handler's place in an informer.
type registration struct {
	typed *informer.Registration
	// owner is the typed informer.
	owner any
	name  string
}

var _ ResourceEventHandlerRegistration = (*registration)(nil)

// HasSynced reports whether the handler has returned from the whole initial list.
func (r *registration) HasSynced() bool { return r.typed.HasSynced() }

// HasSyncedChecker is HasSynced to wait for.
func (r *registration) HasSyncedChecker() DoneChecker {
	return doneChecker{name: r.name, done: r.typed.Synced()}
}

// ShutdownChan is closed when the handler is out of the informer and its last
// callback has returned.
func (r *registration) ShutdownChan() <-chan struct{} { return r.typed.Done() }

// ShutDownEventHandler takes a handler out of informer and waits until its last
// callback has returned. The handler itself must not call it: it would wait for
// itself.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	if err := informer.RemoveEventHandler(handle); err != nil {
		return err
	}
	ends, ok := handle.(interface{ ShutdownChan() <-chan struct{} })
	if !ok {
		return fmt.Errorf("waiting for the end of an event handler: a %T does not tell of it", handle)
	}
	<-ends.ShutdownChan()
	return nil
}
