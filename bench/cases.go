package main

import (
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/queue"
)

// allCases are the cases of every room, in the order of the data's way.
func allCases() (cases []harness.Case) {
	cases = append(cases, queue.Cases()...)
	return cases
}
