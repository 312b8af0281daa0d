package interop

import (
	"fmt"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// handle is the registration of a handler with an informer of this module.
type handle struct {
	cache.ResourceEventHandlerRegistration
}

// HasSyncedChecker implements [clientcache.ResourceEventHandlerRegistration].
func (h *handle) HasSyncedChecker() clientcache.DoneChecker {
	return h.ResourceEventHandlerRegistration.HasSyncedChecker()
}

func (h *handle) ours() cache.ResourceEventHandlerRegistration {
	return h.ResourceEventHandlerRegistration
}

// stoppable is a handle whose end can be waited for, as client-go's
// ShutDownEventHandler requires.
type stoppable struct {
	handle
	stops
}

type stops interface{ ShutdownChan() <-chan struct{} }

func registered(ours cache.ResourceEventHandlerRegistration, err error) (clientcache.ResourceEventHandlerRegistration, error) {
	if err != nil {
		return nil, err
	}
	if s, ok := ours.(stops); ok {
		return &stoppable{handle{ours}, s}, nil
	}
	return &handle{ours}, nil
}

// registrationOf returns the registration that an informer of this module uses.
func registrationOf(theirs clientcache.ResourceEventHandlerRegistration) (cache.ResourceEventHandlerRegistration, error) {
	if h, ok := theirs.(interface {
		ours() cache.ResourceEventHandlerRegistration
	}); ok {
		return h.ours(), nil
	}
	return nil, fmt.Errorf("remove a handler: the registration is a %T, which belongs to another informer", theirs)
}
