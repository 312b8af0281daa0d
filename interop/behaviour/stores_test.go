package behaviour

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func byLabel(obj any) ([]string, error) {
	return []string{object(obj).GetLabels()["is"]}, nil
}

func stores() []testCase {
	return []testCase{
		{name: "store/writes and reads", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.printf("%s %q", found(store.List(), nil), store.ListKeys())
			s.outcome("add", store.Add(pod("a", "1")))
			s.outcome("add again", store.Add(labeled(pod("a", "2"), "again")))
			s.outcome("update of what is not there", store.Update(pod("b", "3")))
			s.printf("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			s.printf("%s", got(store.Get(pod("a", "9"))))
			s.printf("%s", got(store.Get(pod("c", "9"))))
			s.printf("%s", got(store.GetByKey("ns/b")))
			s.printf("%s", got(store.GetByKey("b")))
			s.outcome("delete", store.Delete(pod("a", "4")))
			s.outcome("delete again", store.Delete(pod("a", "4")))
			s.outcome("replace", store.Replace([]any{pod("x", "5"), pod("y", "6"), pod("x", "7")}, "10"))
			s.printf("%s", found(store.List(), nil))
			s.outcome("resync", store.Resync())
			s.outcome("replace with nothing", store.Replace(nil, "11"))
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/older versions", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.outcome("add", store.Add(pod("a", "9")))
			s.outcome("add older", store.Add(labeled(pod("a", "3"), "older")))
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/the same object", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			p := pod("a", "1")
			_ = store.Add(p)
			item, _, _ := store.Get(p)
			s.printf("%v", item == any(p))
			list := store.List()
			list[0] = nil
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/version", rows: "store-version", run: func(s *scenario) {
			store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
			version := func(what string) { s.printf("%s: %q", what, store.LastStoreSyncResourceVersion()) }
			version("new")
			_ = store.Add(pod("a", "5"))
			version("add")
			_ = store.Update(pod("a", "7"))
			version("update")
			_ = store.Add(pod("b", "6"))
			version("add of an older one")
			_ = store.Add(pod("c", ""))
			version("add of one without a version")
			_ = store.Delete(pod("a", "8"))
			version("delete")
			_ = store.Delete(cache.DeletedFinalStateUnknown{Key: "ns/b", Obj: pod("b", "99")})
			version("delete by tombstone")
			store.Bookmark("20")
			version("bookmark")
			store.Bookmark("15")
			version("older bookmark")
			store.Bookmark("")
			version("empty bookmark")
			_ = store.Replace([]any{pod("a", "3")}, "30")
			version("replace")
			_ = store.Replace([]any{pod("a", "3")}, "")
			version("replace without a version")
		}},
		{name: "store/keys that fail", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			for _, o := range oddObjects() {
				if _, err := cache.MetaNamespaceKeyFunc(o.obj); err == nil {
					continue
				}
				s.attempt("add "+o.name, func() { s.outcome("add "+o.name, store.Add(o.obj)) })
				s.attempt("update "+o.name, func() { s.outcome("update "+o.name, store.Update(o.obj)) })
				s.attempt("delete "+o.name, func() { s.outcome("delete "+o.name, store.Delete(o.obj)) })
				s.attempt("get "+o.name, func() { s.printf("get %s: %s", o.name, got(store.Get(o.obj))) })
			}
			_ = store.Add(pod("a", "1"))
			s.outcome("replace", store.Replace([]any{pod("b", "1"), 7}, "2"))
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/strings and ints", run: func(s *scenario) {
			store := cache.NewIndexer(func(obj any) (string, error) { return show(obj), nil }, cache.Indexers{
				"length": func(obj any) ([]string, error) { return []string{show(len(show(obj)))}, nil },
			})
			s.outcome("add", errors.Join(store.Add("one"), store.Add("two"), store.Add(3), store.Add("three")))
			s.printf("%s", found(store.List(), nil))
			s.printf("%s", found(store.ByIndex("length", "3")))
			s.printf("%s", got(store.Get("one")))
			s.printf("%s", got(store.GetByKey("3")))
			s.outcome("add nil", store.Add(nil))
			s.printf("%s", found(store.List(), nil))
			s.printf("%s", got(store.GetByKey("nil")))
			s.outcome("replace", store.Replace([]any{1, 2, "x"}, "4"))
			s.printf("%s %q", found(store.List(), nil), store.LastStoreSyncResourceVersion())
		}},
		{name: "store/transformer", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc, cache.WithTransformer(func(obj any) (any, error) {
				p := obj.(*corev1.Pod)
				if p.Name == "bad" {
					return nil, errors.New("as planned")
				}
				return labeled(p, "transformed"), nil
			}))
			s.outcome("add", store.Add(pod("a", "1")))
			s.outcome("update", store.Update(pod("b", "1")))
			s.outcome("add bad", store.Add(pod("bad", "1")))
			s.printf("%s", found(store.List(), nil))
			s.outcome("replace", store.Replace([]any{pod("c", "1")}, "2"))
			s.printf("%s", found(store.List(), nil))
			s.outcome("replace with bad", store.Replace([]any{pod("d", "1"), pod("bad", "1")}, "2"))
			s.printf("%s", found(store.List(), nil))
			s.outcome("delete", store.Delete(pod("c", "1")))
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/transaction", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			_ = store.Add(pod("gone", "1"))
			transactions, ok := store.(cache.TransactionStore)
			s.printf("%v", ok)
			if !ok {
				return
			}
			err := transactions.Transaction(
				cache.Transaction{Object: pod("a", "2"), Type: cache.TransactionTypeAdd},
				cache.Transaction{Object: 7, Type: cache.TransactionTypeAdd},
				cache.Transaction{Object: pod("b", "3"), Type: cache.TransactionTypeUpdate},
				cache.Transaction{Object: pod("gone", "4"), Type: cache.TransactionTypeDelete},
			)
			s.printf("%v %v", err.TotalTransactions, err.SuccessfulIndices)
			s.printf("%d errors, with a text: %v", len(err.Errors), err.Error() != "")
			s.printf("%s %q", found(store.List(), nil), store.LastStoreSyncResourceVersion())
			s.printf("%v", transactions.Transaction(cache.Transaction{Object: pod("c", "9"), Type: cache.TransactionTypeAdd}) == nil)
			s.printf("%v", transactions.Transaction() == nil)
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/transaction with a transform", rows: "transaction-transform", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc, cache.WithTransformer(func(obj any) (any, error) {
				return labeled(obj.(*corev1.Pod), "transformed"), nil
			}))
			transactions, ok := store.(cache.TransactionStore)
			s.printf("%v", ok && transactions.Transaction(cache.Transaction{Object: pod("a", "1"), Type: cache.TransactionTypeAdd}) == nil)
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/transaction of an unknown type", rows: "transaction-type", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			transactions, ok := store.(cache.TransactionStore)
			s.printf("succeeds: %v", ok && transactions.Transaction(cache.Transaction{Object: pod("a", "1"), Type: "Whatever"}) == nil)
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "store/text of a key error", rows: "key-error", run: func(s *scenario) {
			err := cache.NewStore(cache.MetaNamespaceKeyFunc).Add(struct{ Password string }{"hunter2"})
			s.printf("contains the content of the object: %v", err != nil && strings.Contains(err.Error(), "hunter2"))
			var of cache.KeyError
			s.printf("has the object: %v", errors.As(err, &of) && of.Obj != nil)
		}},
		{name: "store/nil key function", rows: "nil-arguments", run: func(s *scenario) {
			s.attempt("add", func() { s.outcome("add", cache.NewStore(nil).Add(pod("a", "1"))) })
		}},
		{name: "indexer/queries", run: func(s *scenario) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel, cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			for _, p := range []*corev1.Pod{labeled(pod("a", "1"), "red"), labeled(pod("b", "1"), "red"), labeled(pod("c", "1"), "blue")} {
				s.outcome("add", ix.Add(p))
			}
			s.printf("%s", found(ix.ByIndex("is", "red")))
			s.printf("%s", found(ix.ByIndex("is", "green")))
			s.printf("%s", found(ix.ByIndex("none", "red")))
			s.printf("%s", found(ix.Index("is", labeled(pod("z", "1"), "blue"))))
			s.printf("%s", found(ix.Index("none", pod("z", "1"))))
			keys, err := ix.IndexKeys("is", "red")
			s.printf("%q %s", keys, failed(err))
			keys, err = ix.IndexKeys("is", "green")
			s.printf("%q %s", keys, failed(err))
			keys, err = ix.IndexKeys("none", "red")
			s.printf("%q %s", keys, failed(err))
			s.printf("%q", sorted(ix.ListIndexFuncValues("is")))
			s.printf("%q", ix.ListIndexFuncValues("none"))
			s.printf("%s", found(ix.ByIndex(cache.NamespaceIndex, "ns")))
			s.outcome("update", ix.Update(labeled(pod("a", "2"), "blue")))
			s.printf("%s", found(ix.ByIndex("is", "red")))
			s.printf("%s", found(ix.ByIndex("is", "blue")))
			s.outcome("delete", ix.Delete(pod("b", "2")))
			s.printf("%s %q", found(ix.ByIndex("is", "red")), sorted(ix.ListIndexFuncValues("is")))
			s.outcome("replace", ix.Replace([]any{labeled(pod("q", "1"), "red")}, "5"))
			s.printf("%s %q", found(ix.ByIndex("is", "red")), sorted(ix.ListIndexFuncValues("is")))
		}},
		{name: "indexer/several values", run: func(s *scenario) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"letters": func(obj any) ([]string, error) {
				var values []string
				for _, letter := range obj.(*corev1.Pod).Labels["is"] {
					values = append(values, string(letter))
				}
				return values, nil
			}})
			_ = ix.Add(labeled(pod("a", "1"), "xyx"))
			_ = ix.Add(labeled(pod("b", "1"), "yz"))
			_ = ix.Add(pod("c", "1"))
			for _, value := range []string{"x", "y", "z", ""} {
				s.printf("%s: %s", value, found(ix.ByIndex("letters", value)))
			}
			s.printf("%s", found(ix.Index("letters", labeled(pod("q", "1"), "xyz"))))
			s.printf("%s", found(ix.Index("letters", pod("q", "1"))))
			s.printf("%q", sorted(ix.ListIndexFuncValues("letters")))
		}},
		{name: "indexer/indexers added later", run: func(s *scenario) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
			_ = ix.Add(labeled(pod("a", "1"), "red"))
			s.outcome("add indexers", ix.AddIndexers(cache.Indexers{"is": byLabel}))
			s.printf("%s", found(ix.ByIndex("is", "red")))
			s.outcome("add them again", ix.AddIndexers(cache.Indexers{"is": byLabel}))
			s.outcome("one of two again", ix.AddIndexers(cache.Indexers{"is": byLabel, "other": byLabel}))
			s.printf("%d", len(ix.GetIndexers()))
			s.printf("%s", found(ix.ByIndex("other", "red")))
			s.outcome("none", ix.AddIndexers(nil))
		}},
		{name: "indexer/nil indexers", rows: "nil-arguments", run: func(s *scenario) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
			s.outcome("add", ix.Add(pod("a", "1")))
			s.printf("%d", len(ix.GetIndexers()))
			s.attempt("add indexers", func() { s.outcome("add indexers", ix.AddIndexers(cache.Indexers{"is": byLabel})) })
			s.printf("%s", found(ix.ByIndex("is", "")))
		}},
		{name: "indexer/the map from GetIndexers", rows: "get-indexers", run: func(s *scenario) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			delete(ix.GetIndexers(), "is")
			s.printf("after a delete from the result of GetIndexers: %d", len(ix.GetIndexers()))
			own := cache.Indexers{}
			ix = cache.NewIndexer(cache.MetaNamespaceKeyFunc, own)
			s.check(ix.AddIndexers(cache.Indexers{"is": byLabel}))
			s.printf("AddIndexers writes to the argument of NewIndexer: %v", len(own) > 0)
		}},
		{name: "indexer/a function that fails", rows: "index-error", run: func(s *scenario) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": func(obj any) ([]string, error) {
				if obj.(*corev1.Pod).Name == "bad" {
					return []string{"red"}, errors.New("as planned")
				}
				return byLabel(obj)
			}})
			_ = ix.Add(labeled(pod("a", "1"), "red"))
			s.attempt("add", func() { s.outcome("add", ix.Add(labeled(pod("bad", "1"), "red"))) })
			s.printf("logged: %v", s.logged.Load() > 0)
			s.printf("%s", found(ix.ByIndex("is", "red")))
			s.printf("%s", got(ix.GetByKey("ns/bad")))
			s.printf("%s", found(ix.Index("is", pod("bad", "1"))))
		}},
		{name: "thread safe store/writes and reads", run: func(s *scenario) {
			store := cache.NewThreadSafeStore(cache.Indexers{"is": byLabel}, cache.Indices{})
			store.Add("one", labeled(pod("a", "5"), "red"))
			store.Update("two", labeled(pod("a", "6"), "red"))
			s.printf("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			item, exists := store.Get("one")
			s.printf("%s %v", show(item), exists)
			item, exists = store.Get("three")
			s.printf("%s %v", show(item), exists)
			s.printf("%s", found(store.ByIndex("is", "red")))
			s.printf("%s", found(store.Index("is", labeled(pod("q", "1"), "red"))))
			keys, err := store.IndexKeys("is", "red")
			s.printf("%q %s", keys, failed(err))
			s.printf("%q", store.LastStoreSyncResourceVersion())
			store.Delete("one")
			s.printf("%q", store.LastStoreSyncResourceVersion())
			store.DeleteWithObject("two", pod("a", "8"))
			s.printf("%q", store.LastStoreSyncResourceVersion())
			store.Delete("two")
			s.printf("%s", found(store.List(), nil))
			store.Replace(map[string]any{"k": labeled(pod("x", "1"), "blue")}, "12")
			s.printf("%s %q %q", found(store.List(), nil), store.ListIndexFuncValues("is"), store.LastStoreSyncResourceVersion())
			store.Bookmark("13")
			s.printf("%q", store.LastStoreSyncResourceVersion())
			s.outcome("add indexers", store.AddIndexers(cache.Indexers{"second": byLabel}))
			s.printf("%d", len(store.GetIndexers()))
			s.outcome("resync", store.Resync())
		}},
		{name: "thread safe store/strings", run: func(s *scenario) {
			store := cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{})
			store.Add("", "empty key")
			store.Add("nil", nil)
			store.Add("seven", 7)
			s.printf("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			item, exists := store.Get("nil")
			s.printf("%s %v", show(item), exists)
			item, exists = store.Get("")
			s.printf("%s %v", show(item), exists)
		}},
		{name: "thread safe store/transaction", run: func(s *scenario) {
			store, ok := cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{}).(cache.ThreadSafeStoreWithTransaction)
			s.printf("%v", ok)
			if !ok {
				return
			}
			store.Add("old", pod("old", "1"))
			store.Transaction(
				cache.ThreadSafeStoreTransaction{Transaction: cache.Transaction{Object: pod("a", "2"), Type: cache.TransactionTypeAdd}, Key: "new"},
				cache.ThreadSafeStoreTransaction{Transaction: cache.Transaction{Object: pod("old", "3"), Type: cache.TransactionTypeDelete}, Key: "old"},
			)
			s.printf("%s %q %q", found(store.List(), nil), store.ListKeys(), store.LastStoreSyncResourceVersion())
		}},
	}
}
