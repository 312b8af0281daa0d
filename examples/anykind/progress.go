package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// progress counts the objects received so far, and shows the count in one line that it
// overwrites.
type progress struct {
	out    io.Writer
	wanted bool
	n      atomic.Int64
}

func newProgress(out io.Writer, wanted bool) *progress { return &progress{out: out, wanted: wanted} }

// object is a Transform of an informer that only counts.
func (p *progress) object(obj *unstructured.Unstructured) (*unstructured.Unstructured, bool, error) {
	p.n.Add(1)
	return obj, true, nil
}

// show shows the count until stop is called, which removes the line.
func (p *progress) show() (stop func()) {
	if !p.wanted {
		return func() {}
	}
	done := make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprintf(p.out, "\r%d objects so far", p.n.Load())
			case <-done:
				fmt.Fprint(p.out, "\r\033[K")
				return
			}
		}
	})
	return func() {
		close(done)
		shown.Wait()
	}
}
