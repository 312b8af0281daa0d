package indexer

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// checkConcurrent calls all methods from several goroutines. The content at the end is
// known, because each goroutine writes keys of its own.
func checkConcurrent(t *judge.T, parts stack.Parts) {
	const writers, rounds, keys = 3, 60, 20
	c := newCache(t, parts)
	c.addIndex(byNode, nodesOf)
	var wg sync.WaitGroup
	run := func(f func(round int)) {
		wg.Add(1)
		t.Go("a method that is called by several goroutines", func() {
			defer wg.Done()
			for round := range rounds {
				f(round)
			}
		})
	}
	for writer := range writers {
		run(func(round int) {
			var set []stack.Object
			for i := range keys {
				node := "node-" + strconv.Itoa((i+round)%4)
				set = append(set, object(fmt.Sprintf("shop/w%d-%02d", writer, i), strconv.Itoa(round), node))
			}
			c.Apply(set, nil)
			c.Apply(nil, []string{fmt.Sprintf("shop/w%d-%02d", writer, round%keys)})
		})
	}
	run(func(round int) { _, _ = c.ByIndex(byNode, "node-"+strconv.Itoa(round%4)) })
	run(func(int) { c.List() })
	run(func(round int) { c.Get(fmt.Sprintf("shop/w0-%02d", round%keys)) })
	run(func(round int) {
		if round%10 == 0 {
			if err := c.AddIndex("during-"+strconv.Itoa(round), nodesOf); err != nil {
				t.Errorf("AddIndex, while other goroutines write, returns the error %v", err)
			}
		}
	})
	wg.Wait()

	var wants [4][]stack.Object
	for writer := range writers {
		for i := range keys {
			if i != (rounds-1)%keys {
				node := (i + rounds - 1) % 4
				wants[node] = append(wants[node], object(fmt.Sprintf("shop/w%d-%02d", writer, i), strconv.Itoa(rounds-1), ""))
			}
		}
	}
	for node, want := range wants {
		name := "node-" + strconv.Itoa(node)
		c.has("concurrent calls", byNode, name, text(want))
		c.has("concurrent calls of Apply and AddIndex", "during-10", name, text(want))
		c.has("concurrent calls of Apply and AddIndex", "during-50", name, text(want))
	}
}
