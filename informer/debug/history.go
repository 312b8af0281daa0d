package debug

import (
	"slices"
	"strings"
	"time"
)

// A Stage is a stage of an event in an informer.
type Stage string

// The stages, in order.
const (
	// Received: the source has sent the event.
	Received Stage = "received"
	// Stored: the change is in the store.
	Stored Stage = "stored"
	// Merged: the handler was behind, and the notification was merged into another.
	Merged Stage = "merged"
	// Called: the handler's callback has begun.
	Called Stage = "called"
	// Returned: the callback has returned.
	Returned Stage = "returned"
)

// Event is one event of a key: a version of the object, or its deletion.
type Event struct {
	Version string `json:"version"`
	// Steps are in order of time. Objects of the first list begin as stored.
	Steps []Step `json:"steps"`
	// DroppedSteps is the number of steps between the first and the last that were
	// dropped.
	DroppedSteps int `json:"droppedSteps,omitempty"`
}

// Step is one stage of an event.
type Step struct {
	At    time.Time `json:"at"`
	Stage Stage     `json:"stage"`
	// Event is the kind at this stage: ADDED, MODIFIED or DELETED for the source;
	// add, update or delete for the store and the handlers.
	Event string `json:"event"`
	// Handler is the name of the handler, if the stage has one.
	Handler string `json:"handler,omitempty"`
}

// A history has the recent events of one key.
type history struct {
	subject subject
	events  []event // the oldest first; never empty after the first record
	steps   int     // of all events
	// spare is the memory of the event that was dropped last, for reuse.
	spare []step
}

type event struct {
	version  string
	deletion bool
	steps    []step
	// droppedSteps is the number of steps between the first and the last that were
	// dropped.
	droppedSteps int
}

// A step is a compact Step.
type step struct {
	at             time.Duration // since the timeline began
	stage          Stage
	event, handler string
}

// record adds a step to its event. The oldest events are dropped beyond max events,
// or beyond max times stepsPerEvent steps. An event that has half of the steps, as
// after many resyncs, drops its own steps from the middle: the first and the last
// remain.
func (h *history) record(version string, s step, maxEvents int) {
	maxSteps := maxEvents * stepsPerEvent
	e := h.event(version, isDeletion(s.event), maxEvents)
	for h.steps >= maxSteps && len(e.steps) < maxSteps/2 && e != &h.events[0] {
		h.dropOldest()
		e = h.find(version, isDeletion(s.event))
	}
	if h.steps >= maxSteps {
		middle := len(e.steps) / 2
		e.steps = slices.Delete(e.steps, middle, middle+1)
		e.droppedSteps++
		h.steps--
	}
	e.steps = append(e.steps, s)
	h.steps++
}

// event returns the event of a step. It creates one if there is none.
func (h *history) event(version string, deletion bool, maxEvents int) *event {
	if e := h.find(version, deletion); e != nil {
		return e
	}
	if len(h.events) >= maxEvents {
		h.dropOldest()
	}
	// Cloned, since the string may share memory with the object.
	h.events = append(h.events, event{version: strings.Clone(version), deletion: deletion, steps: h.spare})
	h.spare = nil
	return &h.events[len(h.events)-1]
}

// find searches from the newest event, which is nearly always the result. A deletion
// that was not observed has the version of the last state, and is a separate event.
func (h *history) find(version string, deletion bool) *event {
	for i := len(h.events) - 1; i >= 0; i-- {
		if e := &h.events[i]; e.version == version && e.deletion == deletion {
			return e
		}
	}
	return nil
}

// dropOldest drops the oldest event.
func (h *history) dropOldest() {
	h.steps -= len(h.events[0].steps)
	if h.spare = h.events[0].steps[:0]; cap(h.spare) > 2*stepsPerEvent {
		h.spare = nil // do not keep unusually large memory
	}
	h.events = slices.Delete(h.events, 0, 1)
}

func isDeletion(event string) bool { return event == "DELETED" || event == "delete" }

func (h *history) toEvents(start time.Time) []Event {
	events := make([]Event, len(h.events))
	for i, e := range h.events {
		events[i] = Event{Version: e.version, DroppedSteps: e.droppedSteps, Steps: make([]Step, len(e.steps))}
		for j, s := range e.steps {
			events[i].Steps[j] = Step{At: start.Add(s.at).Round(0), Stage: s.stage, Event: s.event, Handler: s.handler}
		}
	}
	return events
}
