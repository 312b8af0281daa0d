package listwatch

import (
	"strings"
	"sync"

	"github.com/thinformer/thinformer/rest"
)

// WatchListMemory is what a source may know of itself: whether its initial state
// can be streamed by a watch with SendInitialEvents. Whoever has tried in vain
// notes why, so that the next one lists at once. The methods are called from any
// goroutine.
//
// A [rest.View] has it, and keeps the reason for its Client and resource. Of a
// source without it each reflector finds out for itself.
type WatchListMemory interface {
	// WatchListTrouble is why the initial state cannot be streamed from this
	// source; "" if it may be tried.
	WatchListTrouble() string
	// NoteWatchListTrouble remembers why it cannot; "" forgets.
	NoteWatchListTrouble(reason string)
}

var (
	_ WatchListMemory = (*ListWatch[int])(nil)
	_ WatchListMemory = (*rest.View[*rest.SlimMeta])(nil)
)

// longestTrouble bounds what is kept of a reason, which may quote an answer.
const longestTrouble = 512

// troubleNote remembers the trouble of one source.
type troubleNote struct {
	mu     sync.Mutex
	reason string // "" is none
}

func (n *troubleNote) get() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reason
}

func (n *troubleNote) set(reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reason = beginning(reason)
}

// beginning is a reason up to its bound, cut between characters.
func beginning(reason string) string {
	if len(reason) <= longestTrouble {
		return reason
	}
	return strings.ToValidUTF8(reason[:longestTrouble], "") + "..."
}

// WatchListTrouble is what the source beneath knows; of one that does not, and
// of functions made by hand, what has been noted here.
func (lw *ListWatch[T]) WatchListTrouble() string {
	if memory, ok := lw.beneath.(WatchListMemory); ok {
		return memory.WatchListTrouble()
	}
	return lw.trouble.get()
}

// NoteWatchListTrouble tells the source beneath; in place of one that does not
// remember, and for functions made by hand, it is remembered here.
func (lw *ListWatch[T]) NoteWatchListTrouble(reason string) {
	if memory, ok := lw.beneath.(WatchListMemory); ok {
		memory.NoteWatchListTrouble(reason)
		return
	}
	lw.trouble.set(reason)
}
