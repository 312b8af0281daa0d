package rest

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// watchLists remembers of which resources a server does not stream the initial
// state, and why: whether it does is for the server to say, so all views of a
// resource share what one of them has found out, and so do those that come
// after it.
type watchLists struct {
	mu       sync.Mutex
	troubles map[schema.GroupVersionResource]string // none is ""
}

// longestTrouble bounds what is kept of a reason, which may quote an answer.
const longestTrouble = 512

func (w *watchLists) trouble(resource schema.GroupVersionResource) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.troubles[resource]
}

func (w *watchLists) note(resource schema.GroupVersionResource, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if reason == "" {
		delete(w.troubles, resource)
		return
	}
	if w.troubles == nil {
		w.troubles = map[schema.GroupVersionResource]string{}
	}
	w.troubles[resource] = truncated(reason, longestTrouble)
}

// WatchListTrouble is why the initial state of this resource cannot be streamed
// by a watch from this server, as NoteWatchListTrouble has been told; "" while
// it may be tried. It is the same for every View of the resource that the Client
// has made.
func (v *View[T]) WatchListTrouble() string {
	return v.client.watchLists.trouble(v.info.GroupVersionResource)
}

// NoteWatchListTrouble remembers in the Client, for as long as that lives, that
// the initial state of this resource cannot be streamed, and why. The beginning
// of a long reason is kept; "" forgets what was noted before, as after a new
// version of the server.
func (v *View[T]) NoteWatchListTrouble(reason string) {
	v.client.watchLists.note(v.info.GroupVersionResource, reason)
}
