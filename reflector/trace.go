package reflector

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// Trace is a set of functions that are called on the goroutine of the reflector.
// Nil functions are not called.
type Trace struct {
	// Event is called for each object that a watch delivers, before the store
	// receives it.
	Event func(t watch.EventType, object any, version string)
	// Changed is called when the state has changed, but not for each event.
	Changed func(State)
	// Step is called for each input of the state machine with its decision, as
	// lines of a transcript.
	Step func(at time.Time, input, outcome string)
}
