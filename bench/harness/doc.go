// Package harness measures two implementations on the same work in one run.
//
// A [Case] has two sides. Their rounds are interleaved, ours, theirs, theirs,
// ours, and so on, so that whatever else the machine does meets both; what is
// reported is the median of the rounds. Every round begins with a collected
// heap. Nothing is judged here: the rows say what was measured.
package harness
