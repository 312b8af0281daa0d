package rest

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/brief"
)

// watchListSupport records the resources whose initial state the server does not
// stream, and why. It is shared by all views of a client, because it depends on the
// server only.
type watchListSupport struct {
	mu      sync.Mutex
	reasons map[schema.GroupVersionResource]string // "" is supported
}

// maxReasonLen bounds a recorded reason, which may quote a response.
const maxReasonLen = 512

func (w *watchListSupport) unsupported(resource schema.GroupVersionResource) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reasons[resource]
}

func (w *watchListSupport) setUnsupported(resource schema.GroupVersionResource, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if reason == "" {
		delete(w.reasons, resource)
		return
	}
	if w.reasons == nil {
		w.reasons = map[schema.GroupVersionResource]string{}
	}
	w.reasons[resource] = brief.Text(reason, maxReasonLen)
}

// WatchListUnsupported returns the reason why this server cannot stream the initial
// state of this resource in a watch, as set by SetWatchListUnsupported; "" if it
// may be tried. All Views of the resource that use the same Client share the
// reason.
func (v *View[T]) WatchListUnsupported() string {
	return v.client.watchListSupport.unsupported(v.info.GroupVersionResource)
}

// SetWatchListUnsupported records in the Client that the initial state of this
// resource cannot be streamed, and why. A long reason is truncated. "" clears the
// record, for example after an upgrade of the server.
func (v *View[T]) SetWatchListUnsupported(reason string) {
	v.client.watchListSupport.setUnsupported(v.info.GroupVersionResource, reason)
}
