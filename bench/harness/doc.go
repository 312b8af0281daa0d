// Package harness measures two implementations on the same work in one run.
//
// A [Case] has two sides. Their rounds are interleaved, ours, theirs, theirs,
// ours, and so on, so that other load on the machine affects both. The
// result is the median of the rounds. Every round begins with a collected heap.
package harness
