package reflector

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// Trace is a set of functions that are told what a reflector does, each on the
// reflector's goroutine. Those that are nil cost nothing.
type Trace struct {
	// Event is called for each object that a watch brings, before the store
	// gets it.
	Event func(t watch.EventType, object any, version string)
	// Changed is called when the state has become another one: not for events.
	Changed func(State)
	// Step is called for each input of the machine that decides, and what it
	// decided: the lines of a transcript, for whoever wants to know why.
	Step func(at time.Time, input, outcome string)
}
