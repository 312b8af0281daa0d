package behaviour

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// informed is an informer with one handler over a world, running.
func (s *stage) informed(w *world, resync time.Duration) (cache.SharedIndexInformer, *recorder) {
	informer, r := cache.NewSharedIndexInformer(w.source(), &corev1.Pod{}, resync, cache.Indexers{}), &recorder{}
	_, err := informer.AddEventHandler(r)
	s.unless(err)
	s.start(informer.RunWithContext)
	s.settle()
	return informer, r
}

func informers() []scene {
	return []scene{
		{name: "informer/life of objects", play: func(s *stage) {
			both(s, func(streams bool) {
				w := newWorld("a", "b")
				w.streams = streams
				informer, r := s.informed(w, 0)
				s.tellInAnyOrder("handler", r)
				w.put("c", "new")
				w.put("a", "changed")
				w.put("a", "changed again")
				w.drop("b")
				w.drop("c")
				w.put("c", "back")
				s.settle()
				s.tell("handler", r)
				s.say("%s", found(informer.GetStore().List(), nil))
				s.say("%v %q %q", informer.HasSynced(), informer.LastSyncResourceVersion(), informer.GetStore().LastStoreSyncResourceVersion())
			})
		}},
		{name: "informer/order across keys", play: func(s *stage) {
			w := newWorld()
			_, r := s.informed(w, 0)
			for i := range 20 {
				w.put(fmt.Sprintf("p%d", i*7%5), fmt.Sprint(i))
			}
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/what an event is called does not decide", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Added, is(pod("a", "10"), "added again"))
			w.send(watch.Modified, is(pod("new", "11"), "modified before it was there"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/a deletion of the unknown", rows: "delete-unknown", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Deleted, pod("never", "10"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/a deletion told twice", rows: "delete-unknown", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Deleted, pod("a", "10"))
			w.send(watch.Deleted, pod("a", "10"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/an event told twice", rows: "event-twice", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Modified, is(pod("a", "10"), "x"))
			w.send(watch.Modified, is(pod("a", "10"), "x"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/another content with the same version", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Modified, is(pod("a", "10"), "x"))
			w.send(watch.Modified, is(pod("a", "10"), "y"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/a late handler, and what others have written to the store", rows: "written-store", play: func(s *stage) {
			w := newWorld("a")
			informer, _ := s.informed(w, 0)
			s.unless(informer.GetIndexer().Add(pod("written", "5")))
			late := &recorder{}
			_, err := informer.AddEventHandler(late)
			s.unless(err)
			s.settle()
			s.tellInAnyOrder("late", late)
			w.put("b", "x")
			s.settle()
			s.tellInAnyOrder("late", late)
		}},
		{name: "informer/no versions, as of a fake", play: func(s *stage) {
			w := newWorld()
			w.listed = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &corev1.PodList{Items: []corev1.Pod{*pod("a", "")}}, nil, true
			}
			informer, r := s.informed(w, 0)
			s.tell("handler", r)
			w.send(watch.Modified, is(pod("a", ""), "x"))
			w.send(watch.Modified, is(pod("a", ""), "y"))
			w.send(watch.Added, pod("b", ""))
			w.send(watch.Deleted, pod("a", ""))
			s.settle()
			s.tell("handler", r)
			s.say("%v %s", informer.HasSynced(), found(informer.GetStore().List(), nil))
		}},
		{name: "informer/handlers do not wait for each other", play: func(s *stage) {
			w := newWorld("a")
			informer, quick := s.informed(w, 0)
			slow := &recorder{slow: time.Hour}
			_, err := informer.AddEventHandler(slow)
			s.unless(err)
			for i := range 5 {
				w.put("a", fmt.Sprint(i))
			}
			s.settle()
			s.tell("quick", quick)
			s.tell("slow", slow)
			s.say("%s", found(informer.GetStore().List(), nil))
			s.sleep(6 * time.Hour)
			s.tell("slow, after hours", slow)
		}},
		{name: "informer/nothing is merged", play: func(s *stage) {
			w := newWorld()
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: time.Millisecond}
			_, err := informer.AddEventHandler(slow)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			for i := range 400 {
				w.put("a", fmt.Sprint(i))
			}
			w.drop("a")
			s.settle()
			lines := slow.heard()
			s.say("%d, the last: %s", len(lines), lines[len(lines)-1])
		}},
		{name: "informer/indexes", play: func(s *stage) {
			w := newWorld("a", "b")
			informer := cache.NewSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{"is": byLabel})
			s.outcome("before the start", informer.AddIndexers(cache.Indexers{"second": byLabel}))
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "red")
			s.settle()
			s.say("%s %s", found(informer.GetIndexer().ByIndex("is", "red")), found(informer.GetIndexer().ByIndex("second", "")))
		}},
		{name: "informer/write to the store beside it", play: func(s *stage) {
			w := newWorld("a")
			informer, r := s.informed(w, 0)
			r.heard()
			s.outcome("add", informer.GetStore().Add(pod("mine", "9")))
			s.say("%s", found(informer.GetStore().List(), nil))
			w.put("mine", "of the server")
			s.settle()
			s.tell("handler", r)
			s.say("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "informer/a store filled without running", play: func(s *stage) {
			informer := cache.NewSharedIndexInformer(newWorld().source(), &corev1.Pod{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			s.outcome("add", informer.GetIndexer().Add(pod("a", "1")))
			s.say("%s %s", found(informer.GetIndexer().List(), nil), found(informer.GetIndexer().ByIndex(cache.NamespaceIndex, "ns")))
			s.say("%v %q", informer.HasSynced(), informer.LastSyncResourceVersion())
			s.say("%v", informer.IsStopped())
		}},
		{name: "informer/its controller", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			controller := informer.GetController()
			s.say("%v %q", controller.HasSynced(), controller.LastSyncResourceVersion())
			controller.Run(nil)
			controller.RunWithContext(context.Background())
			s.start(informer.RunWithContext)
			s.settle()
			s.say("%v %q %v", controller.HasSynced(), controller.LastSyncResourceVersion(), cache.IsDone(controller.HasSyncedChecker()))
		}},
		{name: "informer/objects of another type", rows: "wrong-object", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			told := 0
			s.unless(informer.SetWatchErrorHandler(func(*cache.Reflector, error) { told++ }))
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			r.heard()
			w.send(watch.Added, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", ResourceVersion: "50"}})
			s.settle()
			s.tell("handler", r)
			s.say("%q, logged or told: %v, told: %v", informer.LastSyncResourceVersion(), s.logged.Load()+int64(told) > 0, told > 0)
			w.put("a", "still watched")
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/a nil handler", rows: "nil-handler", play: func(s *stage) {
			informer := cache.NewSharedInformer(newWorld().source(), &corev1.Pod{}, 0)
			s.attempt("add nil", func() {
				_, err := informer.AddEventHandler(nil)
				s.outcome("add nil", err)
			})
		}},
		{name: "informer/functions that are nil", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			for _, handler := range []cache.ResourceEventHandler{cache.ResourceEventHandlerFuncs{}, cache.ResourceEventHandlerDetailedFuncs{}, cache.FilteringResourceEventHandler{
				FilterFunc: func(any) bool { return true }, Handler: cache.ResourceEventHandlerFuncs{}}} {
				_, err := informer.AddEventHandler(handler)
				s.unless(err)
			}
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "x")
			w.drop("a")
			s.settle()
			s.say("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "informer/unstructured objects", play: func(s *stage) {
			s.unstructured()
		}},
		{name: "informer/metadata alone", play: func(s *stage) {
			w := newWorld()
			w.listed = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "5"}, Items: []metav1.PartialObjectMetadata{
					{ObjectMeta: pod("a", "3").ObjectMeta}, {ObjectMeta: pod("b", "4").ObjectMeta}}}, nil, true
			}
			informer := cache.NewSharedInformer(w.source(), &metav1.PartialObjectMetadata{}, 0)
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.send(watch.Modified, &metav1.PartialObjectMetadata{ObjectMeta: pod("a", "6").ObjectMeta})
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/no expected type", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), nil, 0)
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.send(watch.Added, node("n"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/a handler that sees the store", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			ahead := 0
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
				UpdateFunc: func(_, new any) {
					if item, exists, _ := informer.GetStore().Get(new); exists && item.(*corev1.Pod).ResourceVersion < new.(*corev1.Pod).ResourceVersion {
						ahead++
					}
				},
				DeleteFunc: func(obj any) {
					if _, exists, _ := informer.GetStore().Get(obj); exists {
						ahead++
					}
				},
			})
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "x")
			s.settle()
			w.put("a", "y")
			w.drop("a")
			s.settle()
			s.say("told before it was stored: %d times", ahead)
		}},
		{name: "informer/handlers call the informer", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
			inner := &recorder{}
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
				_, err := informer.AddEventHandler(inner)
				s.outcome("a handler adds another", err)
				s.outcome("and an index", informer.AddIndexers(cache.Indexers{"is": byLabel}))
				s.say("and lists: %d", len(informer.GetStore().List()))
			}})
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			s.tell("the inner one", inner)
		}},
		{name: "informer/many handlers, one order", play: func(s *stage) {
			w := newWorld("a", "b")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			all := make([]*recorder, 10)
			for i := range all {
				all[i] = &recorder{}
				_, err := informer.AddEventHandler(all[i])
				s.unless(err)
			}
			s.start(informer.RunWithContext)
			s.settle()
			for i := range 10 {
				w.put(fmt.Sprint("p", i%3), fmt.Sprint(i))
			}
			s.settle()
			told := map[string]bool{}
			for _, r := range all {
				told[strings.Join(r.heard(), "\n")] = true
			}
			s.say("%d histories", len(told))
			for _, line := range strings.Split(slices.Collect(maps.Keys(told))[0], "\n") {
				s.say("%s", line)
			}
		}},
	}
}
