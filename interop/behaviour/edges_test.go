package behaviour

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

func edges() []testCase {
	transformed := func(s *scenario, w *fakeServer, transform cache.TransformFunc) (cache.SharedIndexInformer, *recorder) {
		of, r := newSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{}), &recorder{}
		s.check(of.SetTransform(transform))
		_, err := of.AddEventHandler(r)
		s.check(err)
		s.start(of.RunWithContext)
		s.settle()
		return of, r
	}
	return []testCase{
		{name: "edge/a transform into another type", run: func(s *scenario) {
			w := newFakeServer("a")
			of, r := transformed(s, w, func(obj any) (any, error) {
				p, ok := obj.(*corev1.Pod)
				if !ok {
					return obj, nil
				}
				return &metav1.PartialObjectMetadata{ObjectMeta: p.ObjectMeta}, nil
			})
			w.put("a", "x")
			w.put("b", "y")
			s.settle()
			w.remove("a")
			s.settle()
			s.printEvents("handler", r)
			for _, obj := range of.GetStore().List() {
				s.printf("%T", obj)
			}
		}},
		{name: "edge/a transform that removes fields", run: func(s *scenario) {
			w := newFakeServer("a")
			of, r := transformed(s, w, func(obj any) (any, error) {
				if p, ok := obj.(*corev1.Pod); ok {
					p.Labels, p.UID = nil, ""
				}
				return obj, nil
			})
			w.put("a", "x")
			s.settle()
			w.relistAfter(func() { w.put("a", "y"); w.put("b", "z") })
			s.settle()
			s.printEvents("handler", r)
			s.printf("%s", found(of.GetStore().List(), nil))
		}},
		{name: "edge/one handler twice", run: func(s *scenario) {
			w := newFakeServer("a")
			of, r := s.runInformer(w, 0)
			r.take()
			second, err := of.AddEventHandler(r)
			s.check(err)
			s.settle()
			s.printEvents("handler", r)
			s.check(of.RemoveEventHandler(second))
			w.put("a", "x")
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "edge/an object without a name", rows: "no-name", run: func(s *scenario) {
			w := newFakeServer("a")
			of, r := s.runInformer(w, 0)
			r.take()
			w.send(watch.Added, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}})
			s.settle()
			s.printEvents("handler", r)
			s.printf("%d in the store, logged: %v", len(of.GetStore().List()), s.logged.Load() > 0)
		}},
		{name: "edge/one source, two informers", run: func(s *scenario) {
			w := newFakeServer("a")
			source := w.source()
			for range 2 {
				of := newSharedInformer(source, &corev1.Pod{}, 0)
				s.start(of.RunWithContext)
				s.settle()
				s.printf("%v %s", of.HasSynced(), found(of.GetStore().List(), nil))
			}
		}},
		{name: "edge/many relists", run: func(s *scenario) {
			w := newFakeServer("a")
			of, r := s.runInformer(w, 0)
			for i := range 5 {
				w.relistAfter(func() { w.put("a", fmt.Sprint(i)) })
				s.sleep(time.Minute)
			}
			s.printEvents("handler", r)
			s.printf("%s %v", found(of.GetStore().List(), nil), of.HasSynced())
		}},
		{name: "edge/a list that shrinks to nothing", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			of, r := s.runInformer(w, 0)
			r.take()
			w.relistAfter(func() { w.remove("a"); w.remove("b") })
			s.settle()
			s.printSortedEvents("handler", r)
			s.printf("%s %q", found(of.GetStore().List(), nil), of.LastSyncResourceVersion())
			w.put("c", "x")
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "edge/a list with an object twice", rows: "listed-twice", run: func(s *scenario) {
			w := newFakeServer()
			w.onList = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}, Items: []corev1.Pod{*labeled(pod("a", "1"), "x"), *labeled(pod("a", "2"), "y")}}, nil, true
			}
			of, r := s.runInformer(w, 0)
			s.printEvents("handler", r)
			s.printf("%s", found(of.GetStore().List(), nil))
		}},
		{name: "edge/a handler added while the informer stops", run: func(s *scenario) {
			w := newFakeServer("a")
			of := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: time.Minute}
			_, err := of.AddEventHandler(slow)
			s.check(err)
			stop := s.start(of.RunWithContext)
			s.settle()
			go stop()
			s.settle()
			late := &recorder{}
			_, err = of.AddEventHandler(late)
			s.outcome("add", err)
			s.sleep(time.Hour)
			s.printEvents("late", late)
		}},
		{name: "edge/a batch that fails", run: func(s *scenario) {
			q := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: storeOf()})
			s.check(errors.Join(q.Add(pod("a", "1")), q.Add(pod("b", "2"))))
			planned := errors.New("as planned")
			err := q.PopBatch(func([]cache.Delta, bool) error { return planned }, func(any, bool) error { return planned })
			s.printf("%v", errors.Is(err, planned))
			s.popAll(q)
		}},
		{name: "edge/indexes of a running informer that fail", run: func(s *scenario) {
			w := newFakeServer("a")
			of, _ := s.runInformer(w, 0)
			s.outcome("add", of.AddIndexers(cache.Indexers{"is": byLabel, "ns": cache.MetaNamespaceIndexFunc}))
			s.outcome("one again", of.AddIndexers(cache.Indexers{"new": byLabel, "ns": cache.MetaNamespaceIndexFunc}))
			s.printf("%d %s", len(of.GetIndexer().GetIndexers()), found(of.GetIndexer().ByIndex("ns", "ns")))
		}},
	}
}
