package indexer

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkConcurrent(t *judge.T, parts stack.Parts) {
	checkApplyDuringAddIndex(t, parts)
	checkLoad(t, parts)
}

// checkApplyDuringAddIndex calls Apply while AddIndex reads the stored objects. The new
// objects must be in the index, whichever call is the first.
func checkApplyDuringAddIndex(t *judge.T, parts stack.Parts) {
	const count = 100
	c := newCache(t, parts, object("shop/a", "1", "node-1"), object("shop/b", "1", "node-1"))
	var set []stack.Object
	for i := range count {
		set = append(set, object(fmt.Sprintf("shop/later-%02d", i), "1", "node-2"))
	}
	var apply sync.Once
	applied := make(chan struct{})
	c.addIndex(byNode, func(object stack.Object) []string {
		apply.Do(func() {
			t.Go("Apply during AddIndex", func() {
				defer close(applied)
				c.Apply(set, nil)
			})
			for range 100 {
				runtime.Gosched()
			}
		})
		return nodesOf(object)
	})
	t.Unblocked("Apply during AddIndex", func() { <-applied })
	c.has("an Apply of 100 objects on node-2 during AddIndex", byNode, "node-2", text(set))
}

// checkLoad calls all methods from several goroutines. The content at the end is known,
// because each goroutine writes keys of its own.
func checkLoad(t *judge.T, parts stack.Parts) {
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
