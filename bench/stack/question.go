package stack

import (
	"time"

	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/bench/wire"
)

// form is what an informer makes of a pod.
type form string

const (
	asTyped        form = "*v1.Pod"
	asUnstructured form = "*unstructured.Unstructured"
	asSlim         form = "*SlimPod"
)

// question says what an informer's process is to do: to begin, until all is
// there; then, if asked, to take events or to go through a relist.
type question struct {
	URL      string
	Encoding wire.Encoding
	As       form
	// ShareStrings in protobuf too, on our side. In JSON they are shared anyway.
	ShareStrings bool
	// Layered is whether package cache is a side.
	Layered bool
	// Events that are asked of the server when the initial state is there.
	Events int
	// Relist is whether the watch is to expire.
	Relist bool
}

// answer is what it came to.
type answer struct {
	// Sync is until the handler has been called for every object, and Peak the
	// largest resident set until then. CPU is the whole process's.
	Sync cost
	Peak int64
	// Live is what the heap has more, with everything in the store.
	Live int64
	// Events is from the request for the events to the last callback.
	Events         cost
	Allocs, Bytes  uint64
	Relist         relisted
	Added, Updated int64
	// Digest of what is stored.
	Digest string
}

type cost struct{ Wall, CPU time.Duration }

// stopwatch measures a cost.
type stopwatch struct {
	began time.Time
	cpu   time.Duration
}

func startWatch() stopwatch { return stopwatch{time.Now(), process.CPU()} }

func (s stopwatch) stop() cost { return cost{time.Since(s.began), process.CPU() - s.cpu} }

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
