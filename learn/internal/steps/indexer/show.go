package indexer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing/synctest"

	library "github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// show prints what an index returns, and what a reader sees during an Apply: in the
// reference it waits, in the library it reads the version before.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		c := newCache(t, reference.Parts())
		c.addIndex(byNode, nodesOf)
		find := func() {
			for _, node := range []string{"node-1", "node-2"} {
				objects, _ := c.ByIndex(byNode, node)
				fmt.Fprintf(w, "  ByIndex byNode %s: %s\n", node, text(objects))
			}
		}
		fmt.Fprintln(w, "Apply shop/a@1 (node-1), shop/b@1 (node-1 and node-2)")
		c.apply([]stack.Object{object("shop/a", "1", "node-1"), object("shop/b", "1", "node-1,node-2")})
		find()
		fmt.Fprintln(w, "Apply shop/a@2 (node-2)")
		c.apply([]stack.Object{object("shop/a", "2", "node-2")})
		find()

		fmt.Fprintln(w, "\nApply a@3, b@3, c@3. While it computes the index of b@3, a reader calls List")
		read := make(chan string, 1)
		c.addIndex("reader", func(object stack.Object) []string {
			if object.Name == "b" && object.ResourceVersion == "3" {
				go func() { read <- sorted(c.List()) }()
			}
			return nil
		})
		c.apply(relisted())
		synctest.Wait()
		fmt.Fprintf(w, "  course:  the reader waits for the lock, and sees %s\n", <-read)
		fmt.Fprintf(w, "  library: the reader does not wait, and sees %s\n", seenInLibrary())
	})
}

func relisted() []stack.Object {
	return []stack.Object{object("shop/a", "3", ""), object("shop/b", "3", ""), object("shop/c", "3", "")}
}

func sorted(objects []stack.Object) string {
	names := strings.Fields(text(objects))
	slices.Sort(names)
	return strings.Join(names, " ")
}

// seenInLibrary returns what the index function of the library's indexer reads.
func seenInLibrary() (seen string) {
	x := library.New(library.Options[stack.Object]{})
	x.AddIndex("reader", func(object stack.Object) []string {
		if object.Name == "b" && object.ResourceVersion == "3" {
			seen = sorted(slices.Collect(x.All()))
		}
		return nil
	})
	apply := func(objects []stack.Object) {
		var changes []library.Change[stack.Object]
		for _, object := range objects {
			changes = append(changes, library.Change[stack.Object]{Key: stack.Key(object), Object: object})
		}
		if err := x.Apply(changes, ""); err != nil {
			seen = err.Error()
		}
	}
	apply([]stack.Object{object("shop/a", "2", ""), object("shop/b", "1", "")})
	apply(relisted())
	return seen
}
