package debug

import (
	"container/list"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// TimelineOptions bounds a Timeline. The zero value is a working default.
type TimelineOptions struct {
	// Keys is how many keys are remembered: those of which something was heard
	// last. Default: 1000.
	Keys int

	// Events is how many events of a key are remembered, the newest. Default:
	// 16.
	Events int

	// Only says which keys are remembered at all: with one key that is asked
	// about, the others cost next to nothing. It is called for each step and
	// must not block. Default: all.
	Only func(informer, key string) bool
}

// stepsPerEvent is how many steps an event has room for on the average over the
// events of its key: that is seven handlers.
const stepsPerEvent = 16

// Timeline remembers, for a bounded number of keys, what happened to each
// lately, and when it was at which stage: an informer's Trace fills it, the page
// shows it. It can be used by any goroutine, and serves any number of informers.
//
// It holds at most Keys times Events times 16 steps of some 64 bytes: by default
// 17 MB, which it takes seven handlers to fill. With two it holds half of that.
type Timeline struct {
	options TimelineOptions
	// began is what steps count their time from, so that it takes eight bytes
	// and the clock's being set changes no order.
	began time.Time

	mu sync.Mutex
	// histories and recent hold the same ones, recent in the order in which
	// something was last heard of them, the newest at the front.
	histories map[subject]*list.Element
	recent    list.List
}

// A subject is what has a history: a key of one informer.
type subject struct{ informer, key string }

// NewTimeline returns a Timeline that has heard of nothing. Its Trace belongs
// into the options of the informers or of their factory.
func NewTimeline(o TimelineOptions) *Timeline {
	if o.Keys <= 0 {
		o.Keys = 1000
	}
	if o.Events <= 0 {
		o.Events = 16
	}
	return &Timeline{options: o, began: time.Now(), histories: map[subject]*list.Element{}}
}

// Trace is what fills the timeline.
func (t *Timeline) Trace() *informer.Trace {
	record := func(at Stage) func(informer.TraceInfo) {
		return func(info informer.TraceInfo) { t.record(at, info) }
	}
	return &informer.Trace{
		Received: record(Received),
		Stored:   record(Stored),
		Called:   record(Called),
		Returned: record(Returned),
		Merged:   record(Merged),
	}
}

// Events returns what is remembered of a key, the oldest first.
func (t *Timeline) Events(informer, key string) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.histories[subject{informer, key}]
	if !ok {
		return nil
	}
	return found.Value.(*history).tell(t.began)
}

func (t *Timeline) record(at Stage, info informer.TraceInfo) {
	if t.options.Only != nil && !t.options.Only(info.Informer, info.Key) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	// The clock is read under the lock, so that steps stand in order of time.
	s := step{at: time.Since(t.began), stage: at, handler: info.Handler, what: info.Event}
	t.history(info).record(info.Version, s, t.options.Events)
}

// history is that of the key, which is now the one that was heard of last. The
// one of which nothing was heard for longest makes room for a new one.
func (t *Timeline) history(info informer.TraceInfo) *history {
	if found, ok := t.histories[subject{info.Informer, info.Key}]; ok {
		t.recent.MoveToFront(found)
		return found.Value.(*history)
	}
	if len(t.histories) >= t.options.Keys {
		oldest := t.recent.Back()
		delete(t.histories, oldest.Value.(*history).subject)
		t.recent.Remove(oldest)
	}
	h := &history{subject: subject{info.Informer, strings.Clone(info.Key)}}
	t.histories[h.subject] = t.recent.PushFront(h)
	return h
}
