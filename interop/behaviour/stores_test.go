package behaviour

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func byLabel(obj any) ([]string, error) {
	return []string{obj.(*corev1.Pod).Labels["is"]}, nil
}

func stores() []scene {
	return []scene{
		{name: "store/writes and reads", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.say("%s %q", found(store.List(), nil), store.ListKeys())
			s.outcome("add", store.Add(pod("a", "1")))
			s.outcome("add again", store.Add(is(pod("a", "2"), "again")))
			s.outcome("update of what is not there", store.Update(pod("b", "3")))
			s.say("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			s.say("%s", got(store.Get(pod("a", "9"))))
			s.say("%s", got(store.Get(pod("c", "9"))))
			s.say("%s", got(store.GetByKey("ns/b")))
			s.say("%s", got(store.GetByKey("b")))
			s.outcome("delete", store.Delete(pod("a", "4")))
			s.outcome("delete again", store.Delete(pod("a", "4")))
			s.outcome("replace", store.Replace([]any{pod("x", "5"), pod("y", "6"), pod("x", "7")}, "10"))
			s.say("%s", found(store.List(), nil))
			s.outcome("resync", store.Resync())
			s.outcome("replace with nothing", store.Replace(nil, "11"))
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/older versions", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.outcome("add", store.Add(pod("a", "9")))
			s.outcome("add older", store.Add(is(pod("a", "3"), "older")))
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/the same object", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			p := pod("a", "1")
			_ = store.Add(p)
			item, _, _ := store.Get(p)
			s.say("%v", item == any(p))
			list := store.List()
			list[0] = nil
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/version", rows: "store-version", play: func(s *stage) {
			store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
			say := func(what string) { s.say("%s: %q", what, store.LastStoreSyncResourceVersion()) }
			say("new")
			_ = store.Add(pod("a", "5"))
			say("add")
			_ = store.Update(pod("a", "7"))
			say("update")
			_ = store.Add(pod("b", "6"))
			say("add of an older one")
			_ = store.Add(pod("c", ""))
			say("add of one without a version")
			_ = store.Delete(pod("a", "8"))
			say("delete")
			_ = store.Delete(cache.DeletedFinalStateUnknown{Key: "ns/b", Obj: pod("b", "99")})
			say("delete by tombstone")
			store.Bookmark("20")
			say("bookmark")
			store.Bookmark("15")
			say("older bookmark")
			store.Bookmark("")
			say("empty bookmark")
			_ = store.Replace([]any{pod("a", "3")}, "30")
			say("replace")
			_ = store.Replace([]any{pod("a", "3")}, "")
			say("replace without a version")
		}},
		{name: "store/keys that fail", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			for _, o := range odd() {
				if _, err := cache.MetaNamespaceKeyFunc(o.obj); err == nil {
					continue
				}
				s.attempt("add "+o.name, func() { s.outcome("add "+o.name, store.Add(o.obj)) })
				s.attempt("update "+o.name, func() { s.outcome("update "+o.name, store.Update(o.obj)) })
				s.attempt("delete "+o.name, func() { s.outcome("delete "+o.name, store.Delete(o.obj)) })
				s.attempt("get "+o.name, func() { s.say("get %s: %s", o.name, got(store.Get(o.obj))) })
			}
			_ = store.Add(pod("a", "1"))
			s.outcome("replace", store.Replace([]any{pod("b", "1"), 7}, "2"))
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/strings and ints", play: func(s *stage) {
			store := cache.NewIndexer(func(obj any) (string, error) { return show(obj), nil }, cache.Indexers{
				"length": func(obj any) ([]string, error) { return []string{show(len(show(obj)))}, nil },
			})
			s.outcome("add", errors.Join(store.Add("one"), store.Add("two"), store.Add(3), store.Add("three")))
			s.say("%s", found(store.List(), nil))
			s.say("%s", found(store.ByIndex("length", "3")))
			s.say("%s", got(store.Get("one")))
			s.say("%s", got(store.GetByKey("3")))
			s.outcome("add nil", store.Add(nil))
			s.say("%s", found(store.List(), nil))
			s.say("%s", got(store.GetByKey("nil")))
			s.outcome("replace", store.Replace([]any{1, 2, "x"}, "4"))
			s.say("%s %q", found(store.List(), nil), store.LastStoreSyncResourceVersion())
		}},
		{name: "store/transformer", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc, cache.WithTransformer(func(obj any) (any, error) {
				p := obj.(*corev1.Pod)
				if p.Name == "bad" {
					return nil, errors.New("as planned")
				}
				return is(p, "transformed"), nil
			}))
			s.outcome("add", store.Add(pod("a", "1")))
			s.outcome("update", store.Update(pod("b", "1")))
			s.outcome("add bad", store.Add(pod("bad", "1")))
			s.say("%s", found(store.List(), nil))
			s.outcome("replace", store.Replace([]any{pod("c", "1")}, "2"))
			s.say("%s", found(store.List(), nil))
			s.outcome("replace with bad", store.Replace([]any{pod("d", "1"), pod("bad", "1")}, "2"))
			s.say("%s", found(store.List(), nil))
			s.outcome("delete", store.Delete(pod("c", "1")))
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/transaction", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			_ = store.Add(pod("gone", "1"))
			transactions, ok := store.(cache.TransactionStore)
			s.say("%v", ok)
			if !ok {
				return
			}
			err := transactions.Transaction(
				cache.Transaction{Object: pod("a", "2"), Type: cache.TransactionTypeAdd},
				cache.Transaction{Object: 7, Type: cache.TransactionTypeAdd},
				cache.Transaction{Object: pod("b", "3"), Type: cache.TransactionTypeUpdate},
				cache.Transaction{Object: pod("gone", "4"), Type: cache.TransactionTypeDelete},
			)
			s.say("%v %v", err.TotalTransactions, err.SuccessfulIndices)
			s.say("%d errors, with words: %v", len(err.Errors), err.Error() != "")
			s.say("%s %q", found(store.List(), nil), store.LastStoreSyncResourceVersion())
			s.say("%v", transactions.Transaction(cache.Transaction{Object: pod("c", "9"), Type: cache.TransactionTypeAdd}) == nil)
			s.say("%v", transactions.Transaction() == nil)
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/transaction with a transform", rows: "transaction-transform", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc, cache.WithTransformer(func(obj any) (any, error) {
				return is(obj.(*corev1.Pod), "transformed"), nil
			}))
			transactions, ok := store.(cache.TransactionStore)
			s.say("%v", ok && transactions.Transaction(cache.Transaction{Object: pod("a", "1"), Type: cache.TransactionTypeAdd}) == nil)
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/transaction of an unknown type", rows: "transaction-type", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			transactions, ok := store.(cache.TransactionStore)
			s.say("made: %v", ok && transactions.Transaction(cache.Transaction{Object: pod("a", "1"), Type: "Whatever"}) == nil)
			s.say("%s", found(store.List(), nil))
		}},
		{name: "store/the words of a key error", rows: "key-error", play: func(s *stage) {
			err := cache.NewStore(cache.MetaNamespaceKeyFunc).Add(struct{ Password string }{"hunter2"})
			s.say("tell what is in the object: %v", err != nil && strings.Contains(err.Error(), "hunter2"))
			var of cache.KeyError
			s.say("have the object: %v", errors.As(err, &of) && of.Obj != nil)
		}},
		{name: "store/nil key function", rows: "nil-arguments", play: func(s *stage) {
			s.attempt("add", func() { s.outcome("add", cache.NewStore(nil).Add(pod("a", "1"))) })
		}},
		{name: "indexer/queries", play: func(s *stage) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel, cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			for _, p := range []*corev1.Pod{is(pod("a", "1"), "red"), is(pod("b", "1"), "red"), is(pod("c", "1"), "blue")} {
				s.outcome("add", ix.Add(p))
			}
			s.say("%s", found(ix.ByIndex("is", "red")))
			s.say("%s", found(ix.ByIndex("is", "green")))
			s.say("%s", found(ix.ByIndex("none", "red")))
			s.say("%s", found(ix.Index("is", is(pod("z", "1"), "blue"))))
			s.say("%s", found(ix.Index("none", pod("z", "1"))))
			keys, err := ix.IndexKeys("is", "red")
			s.say("%q %s", keys, failed(err))
			keys, err = ix.IndexKeys("is", "green")
			s.say("%q %s", keys, failed(err))
			keys, err = ix.IndexKeys("none", "red")
			s.say("%q %s", keys, failed(err))
			s.say("%q", sorted(ix.ListIndexFuncValues("is")))
			s.say("%q", ix.ListIndexFuncValues("none"))
			s.say("%s", found(ix.ByIndex(cache.NamespaceIndex, "ns")))
			s.outcome("update", ix.Update(is(pod("a", "2"), "blue")))
			s.say("%s", found(ix.ByIndex("is", "red")))
			s.say("%s", found(ix.ByIndex("is", "blue")))
			s.outcome("delete", ix.Delete(pod("b", "2")))
			s.say("%s %q", found(ix.ByIndex("is", "red")), sorted(ix.ListIndexFuncValues("is")))
			s.outcome("replace", ix.Replace([]any{is(pod("q", "1"), "red")}, "5"))
			s.say("%s %q", found(ix.ByIndex("is", "red")), sorted(ix.ListIndexFuncValues("is")))
		}},
		{name: "indexer/several values", play: func(s *stage) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"letters": func(obj any) ([]string, error) {
				var values []string
				for _, letter := range obj.(*corev1.Pod).Labels["is"] {
					values = append(values, string(letter))
				}
				return values, nil
			}})
			_ = ix.Add(is(pod("a", "1"), "xyx"))
			_ = ix.Add(is(pod("b", "1"), "yz"))
			_ = ix.Add(pod("c", "1"))
			for _, value := range []string{"x", "y", "z", ""} {
				s.say("%s: %s", value, found(ix.ByIndex("letters", value)))
			}
			s.say("%s", found(ix.Index("letters", is(pod("q", "1"), "xyz"))))
			s.say("%s", found(ix.Index("letters", pod("q", "1"))))
			s.say("%q", sorted(ix.ListIndexFuncValues("letters")))
		}},
		{name: "indexer/added late", play: func(s *stage) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
			_ = ix.Add(is(pod("a", "1"), "red"))
			s.outcome("add indexers", ix.AddIndexers(cache.Indexers{"is": byLabel}))
			s.say("%s", found(ix.ByIndex("is", "red")))
			s.outcome("add them again", ix.AddIndexers(cache.Indexers{"is": byLabel}))
			s.outcome("one of two again", ix.AddIndexers(cache.Indexers{"is": byLabel, "other": byLabel}))
			s.say("%d", len(ix.GetIndexers()))
			s.say("%s", found(ix.ByIndex("other", "red")))
			s.outcome("none", ix.AddIndexers(nil))
		}},
		{name: "indexer/nil indexers", rows: "nil-arguments", play: func(s *stage) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
			s.outcome("add", ix.Add(pod("a", "1")))
			s.say("%d", len(ix.GetIndexers()))
			s.attempt("add indexers", func() { s.outcome("add indexers", ix.AddIndexers(cache.Indexers{"is": byLabel})) })
			s.say("%s", found(ix.ByIndex("is", "")))
		}},
		{name: "indexer/the map of indexers", rows: "get-indexers", play: func(s *stage) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			delete(ix.GetIndexers(), "is")
			s.say("after a delete from what GetIndexers has returned: %d", len(ix.GetIndexers()))
			own := cache.Indexers{}
			ix = cache.NewIndexer(cache.MetaNamespaceKeyFunc, own)
			s.unless(ix.AddIndexers(cache.Indexers{"is": byLabel}))
			s.say("AddIndexers writes to what NewIndexer was given: %v", len(own) > 0)
		}},
		{name: "indexer/a function that fails", rows: "index-error", play: func(s *stage) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": func(obj any) ([]string, error) {
				if obj.(*corev1.Pod).Name == "bad" {
					return []string{"red"}, errors.New("as planned")
				}
				return byLabel(obj)
			}})
			_ = ix.Add(is(pod("a", "1"), "red"))
			s.attempt("add", func() { s.outcome("add", ix.Add(is(pod("bad", "1"), "red"))) })
			s.say("logged: %v", s.logged.Load() > 0)
			s.say("%s", found(ix.ByIndex("is", "red")))
			s.say("%s", got(ix.GetByKey("ns/bad")))
			s.say("%s", found(ix.Index("is", pod("bad", "1"))))
		}},
		{name: "thread safe store/writes and reads", play: func(s *stage) {
			store := cache.NewThreadSafeStore(cache.Indexers{"is": byLabel}, cache.Indices{})
			store.Add("one", is(pod("a", "5"), "red"))
			store.Update("two", is(pod("a", "6"), "red"))
			s.say("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			item, exists := store.Get("one")
			s.say("%s %v", show(item), exists)
			item, exists = store.Get("three")
			s.say("%s %v", show(item), exists)
			s.say("%s", found(store.ByIndex("is", "red")))
			s.say("%s", found(store.Index("is", is(pod("q", "1"), "red"))))
			keys, err := store.IndexKeys("is", "red")
			s.say("%q %s", keys, failed(err))
			s.say("%q", store.LastStoreSyncResourceVersion())
			store.Delete("one")
			s.say("%q", store.LastStoreSyncResourceVersion())
			store.DeleteWithObject("two", pod("a", "8"))
			s.say("%q", store.LastStoreSyncResourceVersion())
			store.Delete("two")
			s.say("%s", found(store.List(), nil))
			store.Replace(map[string]any{"k": is(pod("x", "1"), "blue")}, "12")
			s.say("%s %q %q", found(store.List(), nil), store.ListIndexFuncValues("is"), store.LastStoreSyncResourceVersion())
			store.Bookmark("13")
			s.say("%q", store.LastStoreSyncResourceVersion())
			s.outcome("add indexers", store.AddIndexers(cache.Indexers{"second": byLabel}))
			s.say("%d", len(store.GetIndexers()))
			s.outcome("resync", store.Resync())
		}},
		{name: "thread safe store/strings", play: func(s *stage) {
			store := cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{})
			store.Add("", "empty key")
			store.Add("nil", nil)
			store.Add("seven", 7)
			s.say("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			item, exists := store.Get("nil")
			s.say("%s %v", show(item), exists)
			item, exists = store.Get("")
			s.say("%s %v", show(item), exists)
		}},
		{name: "thread safe store/transaction", play: func(s *stage) {
			store, ok := cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{}).(cache.ThreadSafeStoreWithTransaction)
			s.say("%v", ok)
			if !ok {
				return
			}
			store.Add("old", pod("old", "1"))
			store.Transaction(
				cache.ThreadSafeStoreTransaction{Transaction: cache.Transaction{Object: pod("a", "2"), Type: cache.TransactionTypeAdd}, Key: "new"},
				cache.ThreadSafeStoreTransaction{Transaction: cache.Transaction{Object: pod("old", "3"), Type: cache.TransactionTypeDelete}, Key: "old"},
			)
			s.say("%s %q %q", found(store.List(), nil), store.ListKeys(), store.LastStoreSyncResourceVersion())
		}},
	}
}
