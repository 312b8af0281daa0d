package storetest

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
)

// Two lists replace each other. Each has ownObjects objects of its own, and both
// have the object common. All objects of a list have the same state.
const (
	rounds      = 100
	ownObjects  = 40
	common      = "both"
	leftPrefix  = "left-"
	rightPrefix = "right-"
)

func (t *caseRun[T]) listOf(prefix string) []testObject {
	both := t.nextState(common)
	all := []testObject{both}
	for i := range ownObjects {
		all = append(all, testObject{fmt.Sprint(prefix, i), both.n})
	}
	return all
}

func readers[T any](t *caseRun[T]) {
	t.replace(t.listOf(leftPrefix)...)
	done := make(chan struct{})
	inconsistent := make(chan string, 2) // contents that are neither of the two lists
	var reading sync.WaitGroup
	for range cap(inconsistent) {
		reading.Go(func() {
			for {
				if got := t.Contents(); !isOneOfTheLists(got) {
					inconsistent <- formatContents(got)
					return
				}
				select {
				case <-done:
					return
				default:
					runtime.Gosched() // lets the other goroutines run, also on one processor
				}
			}
		})
	}
	t.Step("Replace while others read")
	var err error
	for i := 0; i < rounds && err == nil && len(inconsistent) == 0; i++ {
		all := t.listOf([]string{rightPrefix, leftPrefix}[i%2])
		err = t.Replace(t.yieldProcessor(all), all[0].version)
	}
	close(done)
	reading.Wait()
	t.Must(err)
	if len(inconsistent) > 0 {
		t.Failf("while lists replaced each other, a reader saw %s", <-inconsistent)
	}
}

// yieldProcessor returns items that yield the processor several times while they
// are read.
func (t *caseRun[T]) yieldProcessor(all []testObject) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		i := 0
		for o, err := range t.items(all...) {
			if i++; i%(ownObjects/4) == 0 {
				runtime.Gosched()
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// isOneOfTheLists reports whether contents are exactly one of the two lists.
func isOneOfTheLists(contents map[string]int) bool {
	n, leftObjects := contents[common], 0
	for name, state := range contents {
		if state != n {
			return false
		}
		if strings.HasPrefix(name, leftPrefix) {
			leftObjects++
		}
	}
	return len(contents) == 1+ownObjects && (leftObjects == 0 || leftObjects == ownObjects)
}
