package debug

import (
	"slices"
	"strings"
	"time"
)

// A Stage is a place that an event comes by on its way through an informer.
type Stage string

// The stages, in their order.
const (
	// Received: the source has told it.
	Received Stage = "received"
	// Stored: it is in the store.
	Stored Stage = "stored"
	// Merged: too many waited for the handler, and it became part of another.
	Merged Stage = "merged"
	// Called: the handler's callback has begun.
	Called Stage = "called"
	// Returned: the callback has ended.
	Returned Stage = "returned"
)

// Event is one event of a key: a version of the object, or its end.
type Event struct {
	Version string `json:"version"`
	// Steps, in order of time. Objects of the first list begin as stored.
	Steps []Step `json:"steps"`
	// Forgotten is how many steps there were between the first of these and the
	// last, for which there was no room.
	Forgotten int `json:"forgotten,omitempty"`
}

// Step is one stage of an event.
type Step struct {
	At    time.Time `json:"at"`
	Stage Stage     `json:"stage"`
	// Event is what it was at this stage: ADDED, MODIFIED or DELETED from the
	// source, add, update or delete to the store and the handlers.
	Event string `json:"event"`
	// Handler is the name of the handler that it is about, if any.
	Handler string `json:"handler,omitempty"`
}

// A history is what is remembered of one key.
type history struct {
	subject subject
	events  []event // the oldest first; never empty after the first record
	steps   int     // of all events
	// spare is the memory of the event that was last forgotten, for the next.
	spare []step
}

type event struct {
	version  string
	deletion bool
	steps    []step
	// forgotten counts the steps between the first and the last for which there
	// was no room.
	forgotten int
}

// A step is a Step without its padding.
type step struct {
	at            time.Duration // since the timeline began
	stage         Stage
	what, handler string
}

// record files a step under its event. Past max events, or their room for
// steps, the oldest events go. An event that has half of the room itself, as one
// that is told again and again by a resync, forgets of its own: what came first
// stays, and so does what came last.
func (h *history) record(version string, s step, max int) {
	room := max * stepsPerEvent
	e := h.event(version, isDeletion(s.what), max)
	for h.steps >= room && len(e.steps) < room/2 && e != &h.events[0] {
		h.forget()
		e = h.find(version, isDeletion(s.what))
	}
	if h.steps >= room {
		middle := len(e.steps) / 2
		e.steps = slices.Delete(e.steps, middle, middle+1)
		e.forgotten++
		h.steps--
	}
	e.steps = append(e.steps, s)
	h.steps++
}

// event is the one that a step belongs to, a new one if there is none yet.
func (h *history) event(version string, deletion bool, max int) *event {
	if e := h.find(version, deletion); e != nil {
		return e
	}
	if len(h.events) >= max {
		h.forget()
	}
	// What an object's strings share their memory with must not stay for them.
	h.events = append(h.events, event{version: strings.Clone(version), deletion: deletion, steps: h.spare})
	h.spare = nil
	return &h.events[len(h.events)-1]
}

// find looks from the newest on: that is nearly always the one. The end of an
// object that nobody saw go has the version of its last state, and is an event
// of its own.
func (h *history) find(version string, deletion bool) *event {
	for i := len(h.events) - 1; i >= 0; i-- {
		if e := &h.events[i]; e.version == version && e.deletion == deletion {
			return e
		}
	}
	return nil
}

// forget drops the oldest event.
func (h *history) forget() {
	h.steps -= len(h.events[0].steps)
	if h.spare = h.events[0].steps[:0]; cap(h.spare) > 2*stepsPerEvent {
		h.spare = nil // an event of the usual size would hold all of it
	}
	h.events = slices.Delete(h.events, 0, 1)
}

func isDeletion(event string) bool { return event == "DELETED" || event == "delete" }

func (h *history) tell(began time.Time) []Event {
	told := make([]Event, len(h.events))
	for i, e := range h.events {
		told[i] = Event{Version: e.version, Forgotten: e.forgotten, Steps: make([]Step, len(e.steps))}
		for j, s := range e.steps {
			told[i].Steps[j] = Step{At: began.Add(s.at).Round(0), Stage: s.stage, Event: s.what, Handler: s.handler}
		}
	}
	return told
}
