package deltafifo

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkConcurrent(t *judge.T, parts stack.Parts) {
	checkPairs(t, parts)
	checkLoad(t, parts)
}

// checkPairs calls one write from two goroutines. While it compares with the known
// object, the other one runs. The changes are those of one call after the other.
func checkPairs(t *judge.T, parts stack.Parts) {
	again := func(kind string) []string {
		const text = "shop/a: Deleted a@1 (final state unknown), %[1]s a@%[2]s, Deleted a@%[2]s (final state unknown), %[1]s a@%[3]s"
		return []string{fmt.Sprintf(text, kind, "2", "3"), fmt.Sprintf(text, kind, "3", "2")}
	}
	for _, test := range []struct {
		name  string
		wants []string
		write func(q *queue, version string) error
	}{
		{"Add of an object with another UID", again("Added"),
			func(q *queue, version string) error { return q.Add(objectWithUID("a", version, version)) }},
		{"Update of an object with another UID", again("Updated"),
			func(q *queue, version string) error { return q.Update(objectWithUID("a", version, version)) }},
		{"Delete", []string{"shop/a: Deleted a@2", "shop/a: Deleted a@3"},
			func(q *queue, version string) error { return q.Delete(object("a", version)) }},
		{"an empty Replace", []string{"shop/a: Deleted a@1 (final state unknown)"},
			func(q *queue, version string) error { return q.Replace(items(nil), versionOfList) }},
	} {
		q := newQueue(t, parts, objectWithUID("a", "1", "first"))
		q.known.slow = true
		var wg sync.WaitGroup
		for _, version := range []string{"2", "3"} {
			wg.Add(1)
			t.Go(test.name, func() {
				defer wg.Done()
				if err := test.write(q, version); err != nil {
					t.Errorf("%s returns the error %v", test.name, err)
				}
			})
		}
		wg.Wait()
		if got := q.tryPop(nil).String(); !slices.Contains(test.wants, got) {
			t.Fatalf("after two concurrent calls of %s, with a@1 known, Pop delivers\n%s\nwant %s: a write must compare and add with one lock",
				test.name, got, test.wants[0])
		}
	}
}

// checkLoad calls the methods from several goroutines. Each key is updated by one of
// them, so the order of its Updated is known, whatever other changes are between them.
func checkLoad(t *judge.T, parts stack.Parts) {
	const writers, rounds, keys = 3, 600, 20
	q := newQueue(t, parts)
	var consumed consumer
	for range 2 {
		t.Go("Pop, while other goroutines write,", func() { consumed.run(q) })
	}
	var wg sync.WaitGroup
	run := func(f func(round int) error) {
		wg.Add(1)
		t.Go("a method that is called by several goroutines", func() {
			defer wg.Done()
			for round := range rounds {
				if err := f(round); err != nil {
					t.Errorf("a write, while other goroutines write, returns the error %v", err)
				}
			}
		})
	}
	for writer := range writers {
		run(func(round int) error {
			name := fmt.Sprintf("w%d-%02d", writer, round%keys)
			return q.Update(object(name, strconv.Itoa(round)))
		})
	}
	run(func(round int) error {
		name := "d" + strconv.Itoa(round%keys)
		return errors.Join(q.Add(object(name, "1")), q.Delete(object(name, "2")))
	})
	run(func(round int) error {
		q.HasSynced()
		if round%100 > 0 {
			return nil
		}
		return q.Replace(items(nil), versionOfList)
	})
	wg.Wait()
	pass(time.Minute)
	t.Unblocked("Close", q.Close)
	for writer := range writers {
		for i := range keys {
			var want []string
			for round := i; round < rounds; round += keys {
				want = append(want, strconv.Itoa(round))
			}
			key := fmt.Sprintf("shop/w%d-%02d", writer, i)
			if got := consumed.versions(key); !slices.Equal(got, want) {
				t.Fatalf("after concurrent calls, %d of %d Updates of %s are delivered in their order", len(got), len(want), key)
			}
		}
	}
}

// consumer has the versions of the Updated of each key.
type consumer struct {
	mu      sync.Mutex
	updated map[string][]string
}

func (c *consumer) run(q *queue) {
	for {
		err := q.Pop(q.t.Context(), func(key string, deltas []stack.Delta, _ bool) error {
			runtime.Gosched()
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.updated == nil {
				c.updated = map[string][]string{}
			}
			for _, delta := range deltas {
				if delta.Type == deltafifo.Updated {
					c.updated[key] = append(c.updated[key], delta.Object.ResourceVersion)
				}
			}
			q.known.apply(key, deltas)
			return nil
		})
		if err != nil {
			return
		}
	}
}

func (c *consumer) versions(key string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.updated[key]
}
