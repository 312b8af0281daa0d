package informer

import (
	"fmt"
	"io"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
)

// show prints the calls of three handlers: one blocks in its first call, and one is added
// late.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		i := newInformer(t, reference.Parts(), nil, nil)
		release := make(chan struct{})
		blocked := newRecorder()
		blocked.during = func(string) { <-release }
		handlers := []struct {
			name string
			*recorder
		}{{"fast", newRecorder()}, {"blocked", blocked}, {"late", newRecorder()}}
		printed := map[string]int{}
		print := func(title string) {
			settle()
			fmt.Fprintln(w, title)
			for _, h := range handlers {
				calls := h.calls[printed[h.name]:]
				printed[h.name] = len(h.calls)
				for n, call := range calls {
					name := h.name
					if n > 0 {
						name = ""
					}
					fmt.Fprintf(w, "  %-9s%s\n", name, call)
				}
			}
			var stored []string
			for _, name := range []string{"a", "b", "c"} {
				if object, found := i.indexer.Get("shop/" + name); found {
					stored = append(stored, text(object))
				}
			}
			fmt.Fprintf(w, "  indexer  %s\n", strings.Join(stored, " "))
		}

		i.handle(handlers[0].recorder)
		i.handle(blocked)
		cancel := i.run(untilDone)
		i.replace(object("a", "1"), object("b", "1"))
		print("Replace a@1, b@1: the handler blocked does not return from its first call")
		_ = i.queue.Update(object("a", "2"))
		_ = i.queue.Delete(object("b", "3"))
		print("Update a@2, Delete b@3")
		i.handle(handlers[2].recorder)
		print("AddEventHandler late")
		_ = i.queue.Add(object("c", "4"))
		print("Add c@4")
		close(release)
		print("the first call of blocked returns")
		i.stop(cancel)
		fmt.Fprintf(w, "Run returns: %v\n", i.err)
	})
}
