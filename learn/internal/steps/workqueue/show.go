package workqueue

import (
	"fmt"
	"io"
	"strings"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
)

// show prints what two workers receive from a queue.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		fmt.Fprintf(w, "time  caller    call            returns   Len  shop/a\n")
		s := &shown{w: w, queue: newQueue(t, reference.Parts(), base, limit)}
		s.call("handler", "Add", "waits")
		s.call("handler", "Add", "waits already")
		s.call("worker 1", "Get", "is processed")
		s.call("handler", "Add", "is processed and dirty")
		s.get("worker 2", "is processed by worker 1", func() {
			s.call("worker 1", "Done", "waits, and is handed out")
		})
		s.call("worker 2", "AddRateLimited", "is processed, and delayed by 1s")
		s.call("worker 2", "Done", "is only delayed")
		s.get("worker 1", "is delayed", func() { time.Sleep(base) })
		s.call("worker 1", "AddRateLimited", "is processed, and delayed by 2s")
		s.call("handler", "Add", "is processed, dirty and delayed")
		s.call("worker 1", "Done", "waits, and is still delayed")
		s.call("worker 2", "Get", "is processed, and still delayed")
		s.call("worker 2", "Forget", "is processed, and still delayed")
		s.call("worker 2", "Done", "is only delayed")
		s.get("worker 1", "is delayed", func() { time.Sleep(2 * base) })
		s.call("worker 1", "Done", "is not in the queue")
		s.call("main", "ShutDown", "")
		s.call("worker 1", "Get", "")
	})
}

// shown prints calls of a queue.
type shown struct {
	w     io.Writer
	queue *queue
}

// call makes a call for the key shop/a and prints it, with a note on the key.
func (s *shown) call(caller, method, note string) {
	const key = "shop/a"
	result := ""
	switch method {
	case "Add":
		s.queue.Add(key)
	case "Get":
		result = <-s.queue.get()
	case "Done":
		s.queue.Done(key)
	case "AddRateLimited":
		s.queue.AddRateLimited(key)
	case "Forget":
		s.queue.Forget(key)
	case "ShutDown":
		s.queue.ShutDown()
	}
	s.row(caller, method, result, note)
}

// get prints a Get that waits until wake has been called.
func (s *shown) get(caller, note string, wake func()) {
	got := s.queue.get()
	s.queue.nothing(got, "in the run of the chapter")
	s.row(caller, "Get", "(waits)", note)
	wake()
	s.row(caller, "", <-got, "is processed")
}

// row prints a line. Len is printed when no worker can go on.
func (s *shown) row(caller, call, result, note string) {
	synctest.Wait()
	line := fmt.Sprintf("%-5v %-9s %-15s %-9s %3d  %s", time.Since(s.queue.start), caller, call, result, s.queue.Len(), note)
	fmt.Fprintln(s.w, strings.TrimRight(line, " "))
}
