package indexer

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// A relist replaces all objects by those of the next generation, again and again, while
// readers read.
const (
	generations = 40
	perList     = 200

	inAll        = "inAll"        // an index with one value, "yes"
	byGeneration = "byGeneration" // an index with the generation
)

func keyOf(generation, i int) string { return fmt.Sprintf("shop/g%d-%d", generation, i) }

// relist applies the generations. Each goroutine of readers repeats its read, which
// returns what is wrong, "" for nothing.
func relist(t *judge.T, parts stack.Parts, readers ...func(c *cache) string) {
	c := newCache(t, parts)
	var calls atomic.Int64
	yield := func(values ...string) []string {
		// Readers run even if there is only one processor, but not after each call: if
		// they do not wait for a lock, that would take seconds.
		if calls.Add(1)%17 == 0 {
			runtime.Gosched()
		}
		return values
	}
	c.addIndex(inAll, func(stack.Object) []string { return yield("yes") })
	c.addIndex(byGeneration, func(object stack.Object) []string { return yield(object.ResourceVersion) })
	c.apply(generation(0))

	var ended atomic.Bool
	var wg sync.WaitGroup
	for _, read := range readers {
		wg.Add(1)
		t.Go("a read during Apply", func() {
			defer wg.Done()
			for !ended.Load() && !t.Failed() {
				if wrong := read(c); wrong != "" {
					t.Errorf("%s", wrong)
				}
				runtime.Gosched()
			}
		})
	}
	for number := 1; number <= generations && !t.Failed(); number++ {
		var remove []string
		for i := range perList {
			remove = append(remove, keyOf(number-1, i))
		}
		c.apply(generation(number), remove...)
	}
	ended.Store(true)
	wg.Wait()
}

func generation(number int) (objects []stack.Object) {
	for i := range perList {
		objects = append(objects, object(keyOf(number, i), strconv.Itoa(number), ""))
	}
	return objects
}

// mixed says how objects differ from exactly one generation.
func mixed(call string, objects []stack.Object) string {
	counts := map[string]int{}
	for _, object := range objects {
		if object == nil {
			return call + ", during an Apply, returns a nil object: objects and indexes must change at the same moment"
		}
		counts[object.ResourceVersion]++
	}
	switch {
	case len(counts) > 1:
		return fmt.Sprintf("%s, during an Apply that replaces all %d objects,\nreturns %d objects, the old and the new ones mixed: a reader must see all changes or none",
			call, perList, len(objects))
	case len(objects) != perList:
		return fmt.Sprintf("%s, during an Apply that replaces all %d objects, returns %d objects: a reader must see all changes or none",
			call, perList, len(objects))
	}
	return ""
}

func checkList(t *judge.T, parts stack.Parts) {
	relist(t, parts, func(c *cache) string { return mixed("List", c.List()) })
}

func checkByIndexDuringApply(t *judge.T, parts stack.Parts) {
	relist(t, parts, func(c *cache) string {
		objects, err := c.ByIndex(inAll, "yes")
		if err != nil {
			return fmt.Sprintf("ByIndex, during an Apply, returns the error %v", err)
		}
		return mixed("ByIndex", objects)
	})
}

// checkTogether reads twice. The generation of the second read must not be older, and
// the one that the first read has returned must have been replaced completely.
func checkTogether(t *judge.T, parts stack.Parts) {
	newest := func(call string, objects []stack.Object) (int, string) {
		if wrong := mixed(call, objects); wrong != "" {
			return 0, wrong
		}
		number, _ := strconv.Atoi(objects[0].ResourceVersion)
		return number, ""
	}
	ordered := func(first, second string, before, after int) string {
		if after < before {
			return fmt.Sprintf("%s returns the new objects, and then %s the old ones:\nobjects and indexes must change at the same moment", first, second)
		}
		return ""
	}
	relist(t, parts,
		func(c *cache) string {
			before, wrong := newest("List", c.List())
			if wrong != "" {
				return wrong
			}
			objects, _ := c.ByIndex(inAll, "yes")
			after, wrong := newest("ByIndex", objects)
			if wrong != "" {
				return wrong
			}
			return ordered("List", "ByIndex", before, after)
		},
		func(c *cache) string {
			objects, _ := c.ByIndex(inAll, "yes")
			before, wrong := newest("ByIndex", objects)
			if wrong != "" {
				return wrong
			}
			after, wrong := newest("List", c.List())
			if wrong != "" {
				return wrong
			}
			return ordered("ByIndex", "List", before, after)
		},
		func(c *cache) string {
			before, wrong := newest("List", c.List())
			if wrong != "" {
				return wrong
			}
			if _, found := c.Get(keyOf(before, 0)); found {
				return ""
			}
			if after, _ := newest("List", c.List()); after > before {
				return "" // an Apply was in between
			}
			return "List returns an object that Get, after it, does not find, and no Apply has removed it"
		},
		func(c *cache) string {
			before, wrong := newest("List", c.List())
			if wrong != "" {
				return wrong
			}
			return halfway(c, before+1)
		},
	)
}

// halfway repeats Get until it finds an object of a generation, for a while. The other
// objects must be there too, unless the next Apply has removed all of them.
func halfway(c *cache, generation int) string {
	found := func(i int) bool {
		_, found := c.Get(keyOf(generation, i))
		return found
	}
	for range 100 {
		if found(0) && !found(perList-1) && found(0) {
			return "Get, during an Apply, finds the first of its objects and not yet the last one: a reader must see all changes or none"
		}
		runtime.Gosched()
	}
	return ""
}
