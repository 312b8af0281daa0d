package listwatch

import (
	"strings"
	"sync"

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

// reasonNote records why one source cannot stream its initial state.
type reasonNote struct {
	mu     sync.Mutex
	reason string // "" if none is recorded
}

func (n *reasonNote) get() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reason
}

func (n *reasonNote) set(reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reason = truncateReason(reason)
}

// truncateReason cuts reason to its limit, between characters.
func truncateReason(reason string) string {
	if len(reason) <= maxReasonLength {
		return reason
	}
	return strings.ToValidUTF8(reason[:maxReasonLength], "") + "..."
}

// WatchListUnsupported returns the reason that the wrapped source has recorded.
// If there is no wrapped source, or it is not a WatchListRecorder, it returns
// the reason recorded in lw.
func (lw *ListWatch[T]) WatchListUnsupported() string {
	if memory, ok := lw.source.(WatchListRecorder); ok {
		return memory.WatchListUnsupported()
	}
	return lw.unsupported.get()
}

// SetWatchListUnsupported records reason in the wrapped source. If there is no
// wrapped source, or it is not a WatchListRecorder, reason is recorded in lw.
func (lw *ListWatch[T]) SetWatchListUnsupported(reason string) {
	if memory, ok := lw.source.(WatchListRecorder); ok {
		memory.SetWatchListUnsupported(reason)
		return
	}
	lw.unsupported.set(reason)
}
