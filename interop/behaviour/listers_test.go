package behaviour

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// coloredPods returns an indexer with labeled pods in two namespaces, and a node.
func coloredPods(indexers cache.Indexers) cache.Indexer {
	ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)
	other := labeled(pod("d", "1"), "red")
	other.Namespace = "other"
	for _, obj := range []any{labeled(pod("a", "1"), "red"), labeled(pod("b", "1"), "blue"), pod("c", "1"), other, node("n")} {
		_ = ix.Add(obj)
	}
	return ix
}

func listed(list func(labels.Selector, cache.AppendFunc) error, selector labels.Selector) string {
	var objs []any
	err := list(selector, func(obj any) { objs = append(objs, obj) })
	return found(objs, err)
}

func objects(list []runtime.Object, err error) string {
	var objs []any
	for _, obj := range list {
		objs = append(objs, obj)
	}
	return found(objs, err)
}

func listers() []testCase {
	red := labels.SelectorFromSet(labels.Set{"is": "red"})
	return []testCase{
		{name: "lister/all", run: func(s *scenario) {
			ix := coloredPods(cache.Indexers{})
			all := func(selector labels.Selector, appendFn cache.AppendFunc) error {
				return cache.ListAll(ix, selector, appendFn)
			}
			s.printf("%s", listed(all, labels.Everything()))
			s.printf("%s", listed(all, red))
			s.printf("%s", listed(all, labels.Nothing()))
			exists, err := labels.Parse("is, is notin (red)")
			s.check(err)
			s.printf("%s", listed(all, exists))
		}},
		{name: "lister/of a namespace", run: func(s *scenario) {
			for _, indexers := range []cache.Indexers{{}, {cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}} {
				ix := coloredPods(indexers)
				for _, namespace := range []string{"ns", "other", "none", ""} {
					in := func(selector labels.Selector, appendFn cache.AppendFunc) error {
						return cache.ListAllByNamespace(ix, namespace, selector, appendFn)
					}
					s.printf("%q: %s; %s; %s", namespace, listed(in, labels.Everything()), listed(in, red), listed(in, labels.Nothing()))
				}
			}
		}},
		{name: "lister/generic", run: func(s *scenario) {
			lister := cache.NewGenericLister(coloredPods(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}), schema.GroupResource{Resource: "pods"})
			s.printf("%s", objects(lister.List(labels.Everything())))
			s.printf("%s", objects(lister.List(red)))
			s.printf("%s", objects(lister.ByNamespace("ns").List(red)))
			obj, err := lister.ByNamespace("ns").Get("a")
			s.printf("%s %s", show(obj), failed(err))
			_, err = lister.ByNamespace("ns").Get("d")
			s.printf("%v", apierrors.IsNotFound(err))
			obj, err = lister.Get("n")
			s.printf("%s %s", show(obj), failed(err))
			obj, err = lister.Get("ns/a")
			s.printf("%s %s", show(obj), failed(err))
			_, err = lister.Get("a")
			s.printf("%v", apierrors.IsNotFound(err))
		}},
		{name: "lister/objects without metadata", run: func(s *scenario) {
			store := cache.NewStore(func(obj any) (string, error) { return show(obj), nil })
			s.check(store.Add("text"))
			s.printf("%s", listed(func(selector labels.Selector, f cache.AppendFunc) error { return cache.ListAll(store, selector, f) }, labels.Everything()))
			s.printf("%s", listed(func(selector labels.Selector, f cache.AppendFunc) error { return cache.ListAll(store, selector, f) }, red))
		}},
		{name: "lister/objects of another type", rows: "lister-type", run: func(s *scenario) {
			ix := cache.NewIndexer(func(obj any) (string, error) { return show(obj), nil }, cache.Indexers{"all": func(any) ([]string, error) { return []string{"all"}, nil }})
			s.check(ix.Add("text"))
			lister := cache.NewGenericLister(ix, schema.GroupResource{Resource: "pods"})
			s.attempt("list", func() {
				_, err := lister.List(labels.Everything())
				s.outcome("list", err)
			})
			s.attempt("get", func() {
				_, err := lister.Get("text")
				s.outcome("get", err)
			})
			typed := cache.NewTypedSharedIndexInformer[*corev1.Node](cache.NewSharedIndexInformer(newFakeServer().source(), &corev1.Pod{}, 0, cache.Indexers{"is": byLabel}))
			s.check(typed.GetIndexer().Add(labeled(pod("a", "1"), "red")))
			s.attempt("typed", func() {
				_, err := typed.GetTypedIndexer().ByTypedIndex("is", "red")
				s.outcome("typed", err)
			})
		}},
		{name: "lister/objects without a namespace", rows: "no-namespace", run: func(s *scenario) {
			lister := cache.NewGenericLister(coloredPods(cache.Indexers{}), schema.GroupResource{Resource: "nodes"})
			_, err := lister.ByNamespace("").Get("n")
			s.printf("found: %v", err == nil)
		}},
		{name: "lister/the objects themselves", run: func(s *scenario) {
			ix := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
			p := pod("a", "1")
			s.check(ix.Add(p))
			var got []*corev1.Pod
			s.check(cache.ListAll(ix, labels.Everything(), func(obj any) { got = append(got, obj.(*corev1.Pod)) }))
			s.printf("%v", slices.Equal(got, []*corev1.Pod{p}))
		}},
	}
}
