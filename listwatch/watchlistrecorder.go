package listwatch

import (
	"sync"

	"github.com/thinformer/thinformer/internal/brief"
	"github.com/thinformer/thinformer/rest"
)

// WatchListRecorder is implemented by a source that records whether its initial
// state can be streamed by a watch with SendInitialEvents. A reflector whose
// attempt has failed records the reason, so that the next reflector lists
// immediately. The methods may be called from any goroutine.
//
// A [rest.View] implements it, and records the reason for its Client and
// resource. For a source without it each reflector makes its own attempt.
type WatchListRecorder interface {
	// WatchListUnsupported returns why the initial state of this source cannot
	// be streamed; "" if it may be tried.
	WatchListUnsupported() string
	// SetWatchListUnsupported records why streaming failed; "" clears it.
	SetWatchListUnsupported(reason string)
}

var (
	_ WatchListRecorder = (*ListWatch[int])(nil)
	_ WatchListRecorder = (*rest.View[*rest.SlimMeta])(nil)
)

// maxReasonLength bounds a recorded reason, which may quote a response.
const maxReasonLength = 512

// recordedReason is why one source cannot stream its initial state.
type recordedReason struct {
	mu     sync.Mutex
	reason string // "" if none is recorded
}

func (r *recordedReason) get() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason
}

func (r *recordedReason) set(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reason = brief.Text(reason, maxReasonLength)
}

// WatchListUnsupported returns the reason that the wrapped source has recorded.
// If there is no wrapped source, or it is not a WatchListRecorder, it returns
// the reason recorded in lw.
func (lw *ListWatch[T]) WatchListUnsupported() string {
	if recorder, ok := lw.source.(WatchListRecorder); ok {
		return recorder.WatchListUnsupported()
	}
	return lw.unsupported.get()
}

// SetWatchListUnsupported records reason in the wrapped source. If there is no
// wrapped source, or it is not a WatchListRecorder, reason is recorded in lw.
func (lw *ListWatch[T]) SetWatchListUnsupported(reason string) {
	if recorder, ok := lw.source.(WatchListRecorder); ok {
		recorder.SetWatchListUnsupported(reason)
		return
	}
	lw.unsupported.set(reason)
}
