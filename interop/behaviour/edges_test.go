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

func edges() []scene {
	transformed := func(s *stage, w *world, transform cache.TransformFunc) (cache.SharedIndexInformer, *recorder) {
		of, r := cache.NewSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{}), &recorder{}
		s.unless(of.SetTransform(transform))
		_, err := of.AddEventHandler(r)
		s.unless(err)
		s.start(of.RunWithContext)
		s.settle()
		return of, r
	}
	return []scene{
		{name: "edge/a transform into another type", play: func(s *stage) {
			w := newWorld("a")
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
			w.drop("a")
			s.settle()
			s.tell("handler", r)
			for _, obj := range of.GetStore().List() {
				s.say("%T", obj)
			}
		}},
		{name: "edge/a transform that takes fields away", play: func(s *stage) {
			w := newWorld("a")
			of, r := transformed(s, w, func(obj any) (any, error) {
				if p, ok := obj.(*corev1.Pod); ok {
					p.Labels, p.UID = nil, ""
				}
				return obj, nil
			})
			w.put("a", "x")
			s.settle()
			w.silently(func() { w.put("a", "y"); w.put("b", "z") })
			s.settle()
			s.tell("handler", r)
			s.say("%s", found(of.GetStore().List(), nil))
		}},
		{name: "edge/one handler twice", play: func(s *stage) {
			w := newWorld("a")
			of, r := s.informed(w, 0)
			r.heard()
			second, err := of.AddEventHandler(r)
			s.unless(err)
			s.settle()
			s.tell("handler", r)
			s.unless(of.RemoveEventHandler(second))
			w.put("a", "x")
			s.settle()
			s.tell("handler", r)
		}},
		{name: "edge/an object without a name", rows: "no-name", play: func(s *stage) {
			w := newWorld("a")
			of, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Added, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}})
			s.settle()
			s.tell("handler", r)
			s.say("%d in the store, logged: %v", len(of.GetStore().List()), s.logged.Load() > 0)
		}},
		{name: "edge/one source, two informers", play: func(s *stage) {
			w := newWorld("a")
			source := w.source()
			for range 2 {
				of := cache.NewSharedInformer(source, &corev1.Pod{}, 0)
				s.start(of.RunWithContext)
				s.settle()
				s.say("%v %s", of.HasSynced(), found(of.GetStore().List(), nil))
			}
		}},
		{name: "edge/many relists", play: func(s *stage) {
			w := newWorld("a")
			of, r := s.informed(w, 0)
			for i := range 5 {
				w.silently(func() { w.put("a", fmt.Sprint(i)) })
				s.sleep(time.Minute)
			}
			s.tell("handler", r)
			s.say("%s %v", found(of.GetStore().List(), nil), of.HasSynced())
		}},
		{name: "edge/a list that shrinks to nothing", play: func(s *stage) {
			w := newWorld("a", "b")
			of, r := s.informed(w, 0)
			r.heard()
			w.silently(func() { w.drop("a"); w.drop("b") })
			s.settle()
			s.tellInAnyOrder("handler", r)
			s.say("%s %q", found(of.GetStore().List(), nil), of.LastSyncResourceVersion())
			w.put("c", "x")
			s.settle()
			s.tell("handler", r)
		}},
		{name: "edge/a list with an object twice", rows: "listed-twice", play: func(s *stage) {
			w := newWorld()
			w.listed = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}, Items: []corev1.Pod{*is(pod("a", "1"), "x"), *is(pod("a", "2"), "y")}}, nil, true
			}
			of, r := s.informed(w, 0)
			s.tell("handler", r)
			s.say("%s", found(of.GetStore().List(), nil))
		}},
		{name: "edge/a handler added while it stops", play: func(s *stage) {
			w := newWorld("a")
			of := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: time.Minute}
			_, err := of.AddEventHandler(slow)
			s.unless(err)
			stop := s.start(of.RunWithContext)
			s.settle()
			go stop()
			s.settle()
			late := &recorder{}
			_, err = of.AddEventHandler(late)
			s.outcome("add", err)
			s.sleep(time.Hour)
			s.tell("late", late)
		}},
		{name: "edge/a batch that fails", play: func(s *stage) {
			q := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: known()})
			s.unless(errors.Join(q.Add(pod("a", "1")), q.Add(pod("b", "2"))))
			planned := errors.New("as planned")
			err := q.PopBatch(func([]cache.Delta, bool) error { return planned }, func(any, bool) error { return planned })
			s.say("%v", errors.Is(err, planned))
			s.popped(q)
		}},
		{name: "edge/indexes of a running informer that fail", play: func(s *stage) {
			w := newWorld("a")
			of, _ := s.informed(w, 0)
			s.outcome("add", of.AddIndexers(cache.Indexers{"is": byLabel, "ns": cache.MetaNamespaceIndexFunc}))
			s.outcome("one again", of.AddIndexers(cache.Indexers{"new": byLabel, "ns": cache.MetaNamespaceIndexFunc}))
			s.say("%d %s", len(of.GetIndexer().GetIndexers()), found(of.GetIndexer().ByIndex("ns", "ns")))
		}},
	}
}
