package behaviour

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func fifos() []testCase {
	return []testCase{
		{name: "fifo/the latest of each key", run: func(s *scenario) {
			q := cache.NewFIFO(cache.MetaNamespaceKeyFunc)
			s.check(errors.Join(q.Add(pod("a", "1")), q.Add(pod("b", "2")), q.Update(pod("a", "3")), q.Add(pod("c", "4")), q.Delete(pod("b", "5"))))
			s.popAll(q)
		}},
		{name: "fifo/replace, resync and synced", run: func(s *scenario) {
			q := cache.NewFIFO(cache.MetaNamespaceKeyFunc)
			s.printf("%v", q.HasSynced())
			s.check(q.Add(pod("old", "1")))
			s.printf("%v", q.HasSynced())
			s.outcome("replace", q.Replace([]any{pod("a", "1")}, "5"))
			s.outcome("resync", q.Resync())
			s.popAll(q)
			s.printf("%v %v %v", q.HasSynced(), q.IsClosed(), q.Name() != "")
			second := cache.NewFIFO(cache.MetaNamespaceKeyFunc)
			s.check(second.Replace([]any{pod("a", "1")}, "5"))
			s.printf("%v", second.HasSynced())
			s.printf("%s %v", pop(second, nil), second.HasSynced())
			second.Close()
			_, err := second.Pop(func(any, bool) error { return nil })
			s.printf("%v", errors.Is(err, cache.ErrFIFOClosed))
		}},
		{name: "fifo/a process that fails", run: func(s *scenario) {
			q := cache.NewFIFO(cache.MetaNamespaceKeyFunc)
			s.check(errors.Join(q.Add(pod("a", "1")), q.Add(pod("b", "1"))))
			s.printf("%s", pop(q, errors.New("as planned")))
			s.popAll(q)
			s.outcome("wrong", q.Add(7))
		}},
		{name: "fifo/the order of a list", rows: "fifo-order", run: func(s *scenario) {
			inOrder := true
			for range 20 {
				q := cache.NewFIFO(cache.MetaNamespaceKeyFunc)
				s.check(q.Replace([]any{pod("a", "1"), pod("b", "2"), pod("c", "3"), pod("d", "4")}, "5"))
				for _, name := range []string{"a", "b", "c", "d"} {
					obj, err := q.Pop(func(any, bool) error { return nil })
					s.check(err)
					inOrder = inOrder && obj.(*corev1.Pod).Name == name
				}
			}
			s.printf("always in its order: %v", inOrder)
		}},
		{name: "fifo/a key that is added again", rows: "fifo-order", run: func(s *scenario) {
			q := cache.NewFIFO(cache.MetaNamespaceKeyFunc)
			s.check(errors.Join(q.Add(pod("a", "1")), q.Add(pod("b", "2")), q.Delete(pod("a", "3")), q.Add(pod("a", "4"))))
			s.popAll(q)
		}},
		{name: "heap/a bulk with an object without a key", rows: "heap-bulk", run: func(s *scenario) {
			h := cache.NewHeap(cache.MetaNamespaceKeyFunc, func(a, b any) bool { return show(a) < show(b) })
			s.outcome("bulk", h.BulkAdd([]any{pod("a", "1"), 7, pod("b", "2")}))
			s.printf("%s", found(h.List(), nil))
		}},
		{name: "heap", run: func(s *scenario) {
			type job struct {
				name string
				rank int
			}
			h := cache.NewHeap(func(obj any) (string, error) {
				if j, ok := obj.(job); ok {
					return j.name, nil
				}
				return "", errors.New("no job")
			}, func(a, b any) bool { return a.(job).rank < b.(job).rank })
			s.outcome("add", h.Add(job{"c", 3}))
			s.outcome("bulk", h.BulkAdd([]any{job{"a", 1}, job{"d", 4}, job{"b", 2}}))
			s.outcome("not again", h.AddIfNotPresent(job{"a", 9}))
			s.outcome("but new", h.AddIfNotPresent(job{"e", 5}))
			s.outcome("update", h.Update(job{"d", 0}))
			s.outcome("delete", h.Delete(job{name: "b"}))
			s.outcome("delete an unknown key", h.Delete(job{name: "x"}))
			s.outcome("wrong", h.Add(7))
			s.printf("%q %d", sorted(h.ListKeys()), len(h.List()))
			obj, exists, err := h.Get(job{name: "a"})
			s.printf("%v %v %s", obj, exists, failed(err))
			obj, exists, err = h.GetByKey("b")
			s.printf("%v %v %s", obj, exists, failed(err))
			for range 4 {
				obj, err := h.Pop()
				s.printf("%v %s", obj, failed(err))
			}
			got := false
			s.start(func(context.Context) { _, _ = h.Pop(); got = true })
			s.settle()
			s.printf("%v", got)
			s.check(h.Add(job{"late", 1}))
			s.settle()
			s.printf("%v %v", got, h.IsClosed())
			h.Close()
			s.outcome("add after close", h.Add(job{"x", 1}))
			s.outcome("bulk after close", h.BulkAdd([]any{job{"x", 1}}))
			s.outcome("if not present after close", h.AddIfNotPresent(job{"x", 1}))
			_, err = h.Pop()
			s.printf("%s %v", failed(err), h.IsClosed())
		}},
		{name: "real fifo/every event in order", run: func(s *scenario) {
			q := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: storeOf(pod("a", "0"))})
			s.check(errors.Join(q.Add(pod("b", "1")), q.Update(pod("a", "2")), q.Update(pod("b", "3")), q.Delete(pod("a", "4"))))
			s.popAll(q)
		}},
		{name: "real fifo/a deletion of an unknown object", run: func(s *scenario) {
			q := cache.NewRealFIFO(cache.MetaNamespaceKeyFunc, storeOf(), nil)
			s.check(q.Delete(pod("a", "4")))
			s.popAll(q)
		}},
		{name: "real fifo/replace and resync", run: func(s *scenario) {
			q := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: storeOf(pod("gone", "1"), pod("stays", "2"))})
			s.check(q.Replace([]any{pod("stays", "3"), pod("new", "4")}, "5"))
			s.popAll(q)
			again := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: storeOf(pod("a", "1"))})
			s.outcome("resync", again.Resync())
			s.popAll(again)
		}},
		{name: "real fifo/batches", run: func(s *scenario) {
			q := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: storeOf()})
			s.check(errors.Join(q.Add(pod("a", "1")), q.Add(pod("b", "2")), q.Update(pod("a", "3")), q.Update(pod("c", "4"))))
			for range 2 {
				s.outcome("batch", q.PopBatch(func(batch []cache.Delta, isInInitialList bool) error {
					s.printf("%d: %s", len(batch), deltas(cache.Deltas(batch)))
					return nil
				}, func(obj any, isInInitialList bool) error {
					s.printf("single: %s", deltas(obj))
					return nil
				}))
			}
		}},
		{name: "real fifo/atomic", run: func(s *scenario) {
			q := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true})
			s.outcome("replace", q.Replace([]any{pod("a", "1"), pod("b", "2")}, "5"))
			s.outcome("bookmark", q.Bookmark("7"))
			s.outcome("resync", q.Resync())
			s.outcome("add", q.Add(pod("c", "8")))
			s.printf("%v", q.HasSynced())
			s.popAll(q)
			s.printf("%v", q.HasSynced())
		}},
		{name: "real fifo/options that exclude each other", run: func(s *scenario) {
			for name, options := range inOrder(map[string]cache.RealFIFOOptions{
				"atomic with known objects":    {AtomicEvents: true, KnownObjects: storeOf()},
				"without known objects":        {},
				"unlocked but not atomic":      {KnownObjects: storeOf(), UnlockWhileProcessing: true},
				"bookmarks but not atomic":     {KnownObjects: storeOf(), EmitDeltaTypeBookmark: true},
				"atomic with nothing else":     {AtomicEvents: true},
				"known objects and no options": {KnownObjects: storeOf()},
			}) {
				s.attempt(name, func() {
					cache.NewRealFIFOWithOptions(options)
					s.printf("%s: fine", name)
				})
			}
		}},
		{name: "real fifo/a slow process", run: func(s *scenario) {
			q := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true})
			s.check(q.Add(pod("a", "1")))
			s.start(func(context.Context) {
				_, err := q.Pop(func(any, bool) error { time.Sleep(time.Minute); return nil })
				s.check(err)
			})
			s.settle()
			s.check(q.Add(pod("b", "2")))
			s.printf("added at %v", s.now())
			s.sleep(time.Hour)
		}},
	}
}
