// Package harness measures two implementations on the same work in one run.
//
// A [Case] has two sides. Their rounds are interleaved: ours, theirs, theirs, ours, and
// so on. So other load on the machine affects both. The result is the median of the
// rounds. Each round begins with a garbage collection.
package harness
