package deltafifo

import (
	"fmt"
	"io"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// show prints what Pop delivers after some writes. The name a is used by three objects, one after another.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		s := &shown{newQueue(t, reference.Parts()), w}
		s.write("Add     ", s.add, objectWithUID("a", "1", "first"))
		s.write("Update  ", s.update, objectWithUID("a", "2", "first"))
		s.write("Add     ", s.add, objectWithUID("b", "3", ""))
		s.write("Delete  ", s.delete, objectWithUID("a", "4", "first"))
		s.write("Add     ", s.add, objectWithUID("a", "5", "second"))
		s.pop("", func() {
			fmt.Fprintln(w, "    process runs")
			s.write("    Update  ", s.update, objectWithUID("a", "6", "second"))
			s.pop("    ", nil)
			fmt.Fprintln(w, "    process returns")
		})
		s.pop("", nil)

		fmt.Fprintln(w)
		s.write("Update  ", s.update, objectWithUID("a", "7", "second"))
		fmt.Fprintln(w, "Replace a@9 (third), c@9")
		s.replace(objectWithUID("a", "9", "third"), object("c", "9"))
		for range 3 {
			fmt.Fprintf(w, "HasSynced: %v\n", s.HasSynced())
			s.pop("", nil)
		}
		fmt.Fprintf(w, "HasSynced: %v\n", s.HasSynced())
	})
}

// shown prints the calls of a queue.
type shown struct {
	*queue
	w io.Writer
}

func (s *shown) write(call string, f func(stack.Object), object stack.Object) {
	fmt.Fprintf(s.w, "%s%s@%s", call, object.Name, object.ResourceVersion)
	if object.UID != "" {
		fmt.Fprintf(s.w, " (%s)", object.UID)
	}
	fmt.Fprintln(s.w)
	f(object)
}

// pop prints the changes before they are processed by during.
func (s *shown) pop(indent string, during func()) {
	p := new(popping)
	s.run(s.t.Context(), p, func() error {
		fmt.Fprintf(s.w, "%sPop     %v\n", indent, p)
		if during != nil {
			during()
		}
		return nil
	})
}
