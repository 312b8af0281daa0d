package stack

import (
	"time"

	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/bench/wire"
)

// form is the Go type of an informer's objects.
type form string

const (
	asTyped        form = "*v1.Pod"
	asUnstructured form = "*unstructured.Unstructured"
	asSlim         form = "*SlimPod"
)

// question describes the work of an informer's process: it syncs, and then receives
// events or a relist if requested.
type question struct {
	URL      string
	Encoding wire.Encoding
	As       form
	// ShareStrings is set to share strings in protobuf on our side. In JSON they are
	// always shared.
	ShareStrings bool
	// Layered is set if package cache is a side.
	Layered bool
	// Events is the number of events to request after the initial state.
	Events int
	// Relist is set if the watch expires.
	Relist bool
}

// answer has the results of an informer's process.
type answer struct {
	// Sync is the cost until the handler has been called for every object. Peak is the
	// largest resident set until then.
	Sync cost
	Peak int64
	// Live is the live heap with all objects in the store, less that before.
	Live int64
	// Events is the cost from the request for the events to the last callback.
	Events         cost
	Allocs, Bytes  uint64
	Relist         relisted
	Added, Updated int64
	// Digest is a digest of the stored objects.
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
