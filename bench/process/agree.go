package process

import "sync"

// said is what the sides have said that they hold, of each piece of work.
var said sync.Map

// Agree panics unless both sides hold the same after the same work.
func Agree(work, digest string) {
	if first, known := said.LoadOrStore(work, digest); known && first != digest {
		panic("the sides hold different objects after the same work: " + work)
	}
}
