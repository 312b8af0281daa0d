package behaviour

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// deltas formats an item of a queue.
func deltas(obj any) string {
	switch obj := obj.(type) {
	case cache.Deltas:
		var all []string
		for _, d := range obj {
			all = append(all, delta(d))
		}
		return strings.Join(all, ", ")
	case cache.Delta:
		return delta(obj)
	}
	return show(obj)
}

func delta(d cache.Delta) string {
	switch info := d.Object.(type) {
	case cache.ReplacedAllInfo:
		return fmt.Sprintf("%s %s %q", d.Type, info.ResourceVersion, shown(info.Objects))
	case cache.BookmarkInfo:
		return fmt.Sprintf("%s %s", d.Type, info.ResourceVersion)
	case cache.SyncAllInfo:
		return string(d.Type)
	}
	return fmt.Sprintf("%s %s", d.Type, show(d.Object))
}

// popAll pops and prints the items of a queue.
func (s *scenario) popAll(q cache.Queue) {
	taken := 0
	stop := s.start(func(ctx context.Context) {
		for ctx.Err() == nil {
			_, err := q.Pop(func(obj any, isInInitialList bool) error {
				s.printf("%s%s", deltas(obj), map[bool]string{true: ", in the initial list"}[isInInitialList])
				taken++
				return nil
			})
			if err != nil {
				return
			}
		}
	})
	s.settle()
	if taken == 0 {
		s.printf("nothing to pop")
	}
	// Pop returns only with an item or after Close.
	s.stops = s.stops[:len(s.stops)-1]
	s.stops = append(s.stops, func() { q.Close(); stop() })
}

// pop pops one item and formats the results of Pop.
func pop(q cache.Queue, err error) string {
	obj, got := q.Pop(func(any, bool) error { return err })
	return fmt.Sprintf("%s, %s", deltas(obj), failed(got))
}

func isDone(checker cache.DoneChecker) bool {
	select {
	case <-checker.Done():
		return true
	default:
		return false
	}
}

// storeOf returns a store with pods.
func storeOf(pods ...*corev1.Pod) cache.Store {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	for _, p := range pods {
		_ = store.Add(p)
	}
	return store
}

func queues() []testCase {
	return []testCase{
		{name: "deltas", run: func(s *scenario) {
			all := cache.Deltas{{Type: cache.Added, Object: "a"}, {Type: cache.Updated, Object: "b"}}
			s.printf("%v %v", *all.Oldest(), *all.Newest())
			s.printf("%v %v", cache.Deltas{}.Oldest() == nil, cache.Deltas(nil).Newest() == nil)
			s.printf("%s %s %s %s %s %s %s %s", cache.Added, cache.Updated, cache.Deleted, cache.Replaced, cache.ReplacedAll, cache.Sync, cache.SyncAll, cache.Bookmark)
		}},
		{name: "delta fifo/deltas of one key", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc})
			s.outcome("add", q.Add(pod("a", "1")))
			s.outcome("update", q.Update(pod("a", "2")))
			s.outcome("add", q.Add(pod("b", "3")))
			s.outcome("delete", q.Delete(pod("a", "4")))
			s.popAll(q)
		}},
		{name: "delta fifo/what Pop returns", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.check(errors.Join(q.Add(pod("a", "1")), q.Add(pod("b", "2"))))
			s.printf("%s", pop(q, nil))
			planned := errors.New("as planned")
			_, err := q.Pop(func(any, bool) error { return planned })
			s.printf("%v", errors.Is(err, planned))
			q.Close()
			s.printf("%s", pop(q, nil))
			_, err = q.Pop(func(any, bool) error { return nil })
			s.printf("%v %v", errors.Is(err, cache.ErrFIFOClosed), q.IsClosed())
		}},
		{name: "delta fifo/deletions", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("known", "1"))})
			s.outcome("of an unknown object", q.Delete(pod("unknown", "2")))
			s.outcome("of a known object", q.Delete(pod("known", "3")))
			s.outcome("twice", q.Delete(pod("known", "4")))
			s.popAll(q)
		}},
		{name: "delta fifo/deletion by tombstone", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("known", "1"))})
			s.outcome("delete", q.Delete(cache.DeletedFinalStateUnknown{Key: "ns/known", Obj: pod("known", "1")}))
			s.popAll(q)
		}},
		{name: "delta fifo/a deletion and a tombstone", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.check(errors.Join(q.Add(pod("a", "1")), q.Delete(pod("a", "2")), q.Delete(cache.DeletedFinalStateUnknown{Key: "ns/a", Obj: pod("a", "1")})))
			s.popAll(q)
		}},
		{name: "delta fifo/replace", run: func(s *scenario) {
			for _, emit := range []bool{false, true} {
				q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("gone", "1"), pod("stays", "2")), EmitDeltaTypeReplaced: emit})
				s.outcome("replace", q.Replace([]any{pod("stays", "3"), pod("new", "4")}, "5"))
				s.popAll(q)
			}
		}},
		{name: "delta fifo/replace a queued object", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(), EmitDeltaTypeReplaced: true})
			s.check(q.Add(pod("queued", "1")))
			s.check(q.Replace([]any{pod("new", "2")}, "5"))
			s.popAll(q)
		}},
		{name: "delta fifo/replace with the same object", rows: "queue-list", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("same", "1")), EmitDeltaTypeReplaced: true})
			s.check(q.Replace([]any{pod("same", "1"), pod("new", "2")}, "5"))
			s.popAll(q)
		}},
		{name: "delta fifo/replace with another object of the same name", rows: "queue-list", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("a", "1")), EmitDeltaTypeReplaced: true})
			s.check(q.Replace([]any{uid(pod("a", "2"), "another")}, "5"))
			s.popAll(q)
		}},
		{name: "delta fifo/resync", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("a", "1"), pod("b", "2"))})
			s.check(q.Update(pod("a", "3")))
			s.outcome("resync", q.Resync())
			s.popAll(q)
			s.outcome("without known objects", cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{}).Resync())
		}},
		{name: "delta fifo/synced", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{EmitDeltaTypeReplaced: true})
			s.printf("new: %v %v", q.HasSynced(), isDone(q.HasSyncedChecker()))
			s.check(q.Replace([]any{pod("a", "1"), pod("b", "2")}, "5"))
			s.printf("replaced: %v", q.HasSynced())
			s.printf("%s, %v", pop(q, nil), q.HasSynced())
			s.printf("%s, %v", pop(q, nil), q.HasSynced())
			s.printf("%v %v", isDone(q.HasSyncedChecker()), q.Name() != "")
			empty := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.check(empty.Replace(nil, "1"))
			s.printf("replaced with nothing: %v", empty.HasSynced())
		}},
		{name: "delta fifo/synced by an event", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.check(q.Add(pod("a", "1")))
			s.printf("%v", q.HasSynced())
			s.printf("%s, %v", pop(q, nil), q.HasSynced())
		}},
		{name: "delta fifo/synced while the last object of a list is processed", rows: "queue-synced", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.check(q.Replace([]any{pod("a", "1")}, "5"))
			started, release := make(chan struct{}), make(chan struct{})
			done := s.start(func(context.Context) {
				_, err := q.Pop(func(any, bool) error { close(started); <-release; return nil })
				s.check(err)
			})
			<-started
			s.printf("%v", isDone(q.HasSyncedChecker()))
			close(release)
			done()
			s.printf("%v", q.HasSynced())
		}},
		{name: "delta fifo/transformer", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("gone", "1")), Transformer: func(obj any) (any, error) {
				if obj.(*corev1.Pod).Name == "bad" {
					return nil, errors.New("as planned")
				}
				return labeled(obj.(*corev1.Pod), "transformed"), nil
			}, EmitDeltaTypeReplaced: true})
			s.outcome("add", q.Add(pod("a", "1")))
			s.outcome("delete", q.Delete(pod("a", "2")))
			s.outcome("add bad", q.Add(pod("bad", "1")))
			s.outcome("replace", q.Replace([]any{pod("b", "3")}, "5"))
			s.popAll(q)
			s.printf("%v", q.Transformer() != nil)
		}},
		{name: "delta fifo/a transformer that fails in a list", rows: "queue-transform", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: storeOf(pod("bad", "1")), Transformer: func(obj any) (any, error) {
				if obj.(*corev1.Pod).Name == "bad" {
					return nil, errors.New("as planned")
				}
				return obj, nil
			}, EmitDeltaTypeReplaced: true})
			s.outcome("replace", q.Replace([]any{pod("a", "2"), pod("bad", "3"), pod("c", "4")}, "5"))
			s.popAll(q)
			s.printf("logged: %v", s.logged.Load() > 0)
		}},
		{name: "delta fifo/keys", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			for _, obj := range []any{pod("a", "1"), cache.DeletedFinalStateUnknown{Key: "k"}, cache.Deltas{{Type: cache.Added, Object: pod("b", "1")}}, cache.Deltas{}, 7, nil, cache.ExplicitKey("x")} {
				s.attempt("key", func() {
					key, err := q.KeyOf(obj)
					s.printf("%T: %q %s", obj, key, failed(err))
				})
			}
			_, err := q.KeyOf(cache.Deltas{})
			var of cache.KeyError
			s.printf("%v %v", errors.Is(err, cache.ErrZeroLengthDeltasObject), errors.As(err, &of))
		}},
		{name: "delta fifo/wrong objects", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			for _, obj := range []any{7, "x", nil} {
				s.outcome("add", q.Add(obj))
				s.outcome("update", q.Update(obj))
				s.outcome("delete", q.Delete(obj))
				s.outcome("replace", q.Replace([]any{pod("a", "1"), obj}, "2"))
			}
			own := cache.NewDeltaFIFO(func(obj any) (string, error) { return show(obj), nil }, nil)
			s.outcome("a string with a key function", own.Add("x"))
			s.outcome("an int", own.Add(7))
			s.popAll(own)
		}},
		{name: "delta fifo/Pop waits", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.popAll(q)
			s.check(q.Add(pod("a", "1")))
			s.settle()
		}},
		{name: "delta fifo/closed", rows: "queue-closed", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			q.Close()
			q.Close()
			s.outcome("add", q.Add(pod("a", "1")))
		}},
	}
}
