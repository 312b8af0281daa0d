package storetest

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
)

// Two lists take each other's place: the left one and the right one have side
// objects each of their own, and one in common. All are of one state.
const (
	turns  = 100
	side   = 40
	common = "both"
	left   = "left-"
	right  = "right-"
)

func (t *try[T]) side(of string) []thing {
	both := t.newer(common)
	all := []thing{both}
	for i := range side {
		all = append(all, thing{fmt.Sprint(of, i), both.n})
	}
	return all
}

func readers[T any](t *try[T]) {
	t.replace(t.side(left)...)
	done := make(chan struct{})
	halves := make(chan string, 2) // what readers have seen that never was
	var reading sync.WaitGroup
	for range cap(halves) {
		reading.Go(func() {
			for {
				if got := t.Contents(); !whole(got) {
					halves <- spelled(got)
					return
				}
				select {
				case <-done:
					return
				default:
					runtime.Gosched() // on one processor, too, all have their turn
				}
			}
		})
	}
	t.Doing("Replace while others read")
	var err error
	for i := 0; i < turns && err == nil && len(halves) == 0; i++ {
		all := t.side([]string{right, left}[i%2])
		err = t.Replace(t.slowly(all), all[0].version)
	}
	close(done)
	reading.Wait()
	t.Must(err)
	if len(halves) > 0 {
		t.Failf("while lists took each other's place, stored was %s", <-halves)
	}
}

// slowly are items between which others have their turn, a few times.
func (t *try[T]) slowly(all []thing) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		i := 0
		for o, err := range t.items(all...) {
			if i++; i%(side/4) == 0 {
				runtime.Gosched()
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// whole says whether contents are one of the two lists.
func whole(contents map[string]int) bool {
	n, lefts := contents[common], 0
	for name, state := range contents {
		if state != n {
			return false
		}
		if strings.HasPrefix(name, left) {
			lefts++
		}
	}
	return len(contents) == 1+side && (lefts == 0 || lefts == side)
}
