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
	// Keys is the number of keys with a history: the most recently used ones are kept.
	// Default: 1000.
	Keys int

	// Events is the number of events that are kept per key. Default: 16.
	Events int

	// Filter reports whether a key is recorded. Recording a single key costs very
	// little. Filter is called for each step and must not block. Default: all keys.
	Filter func(informer, key string) bool
}

// stepsPerEvent is the average number of steps that are kept per event of a key: it
// is enough for seven handlers.
const stepsPerEvent = 16

// Timeline records the recent events of a bounded number of keys, with the time of
// each stage. The Trace of an informer fills it, and the page shows it. It is safe
// for concurrent use, and serves any number of informers.
//
// It holds at most Keys times Events times 16 steps of about 64 bytes: by default 17
// MB with seven handlers. With two handlers it holds half of that.
type Timeline struct {
	options TimelineOptions
	// start is the reference time of steps. It keeps a step small, and the order
	// independent of changes of the system clock.
	start time.Time

	mu sync.Mutex
	// histories and recent have the same elements. recent is ordered by the last
	// step, most recent first.
	histories map[subject]*list.Element
	recent    list.List
}

// A subject is a key of one informer.
type subject struct{ informer, key string }

// NewTimeline returns an empty Timeline. Set its Trace in the options of the
// informers or of their factory.
func NewTimeline(o TimelineOptions) *Timeline {
	if o.Keys <= 0 {
		o.Keys = 1000
	}
	if o.Events <= 0 {
		o.Events = 16
	}
	return &Timeline{options: o, start: time.Now(), histories: map[subject]*list.Element{}}
}

// Trace returns the Trace that fills the timeline.
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

// Events returns the recorded events of a key, oldest first.
func (t *Timeline) Events(informer, key string) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.histories[subject{informer, key}]
	if !ok {
		return nil
	}
	return found.Value.(*history).toEvents(t.start)
}

func (t *Timeline) record(stage Stage, info informer.TraceInfo) {
	if t.options.Filter != nil && !t.options.Filter(info.Informer, info.Key) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	// The clock is read under the lock, so that steps are in order of time.
	s := step{at: time.Since(t.start), stage: stage, handler: info.Handler, event: info.Event}
	t.history(info).record(info.Version, s, t.options.Events)
}

// history returns the history of a key and marks it as the most recent. A new key
// replaces the least recent one if the timeline is full.
func (t *Timeline) history(info informer.TraceInfo) *history {
	if found, ok := t.histories[subject{info.Informer, info.Key}]; ok {
		t.recent.MoveToFront(found)
		return found.Value.(*history)
	}
	if len(t.histories) >= t.options.Keys {
		leastRecent := t.recent.Back()
		delete(t.histories, leastRecent.Value.(*history).subject)
		t.recent.Remove(leastRecent)
	}
	h := &history{subject: subject{info.Informer, strings.Clone(info.Key)}}
	t.histories[h.subject] = t.recent.PushFront(h)
	return h
}
