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

// runInformer runs an informer with one handler on a fake server.
func (s *scenario) runInformer(w *fakeServer, resync time.Duration) (cache.SharedIndexInformer, *recorder) {
	informer, r := newSharedIndexInformer(w.source(), &corev1.Pod{}, resync, cache.Indexers{}), &recorder{}
	_, err := informer.AddEventHandler(r)
	s.check(err)
	s.start(informer.RunWithContext)
	s.settle()
	return informer, r
}

// printNotificationsOf sends events to an informer that has the pod a, and prints the
// notifications of its handler.
func (s *scenario) printNotificationsOf(events ...watch.Event) {
	w := newFakeServer("a")
	_, r := s.runInformer(w, 0)
	r.take()
	for _, event := range events {
		w.send(event.Type, event.Object)
	}
	s.settle()
	s.printEvents("handler", r)
}

func informers() []testCase {
	return []testCase{
		{name: "informer/created, changed and deleted objects", run: func(s *scenario) {
			withAndWithoutStreams(s, func(streams bool) {
				w := newFakeServer("a", "b")
				w.streams = streams
				informer, r := s.runInformer(w, 0)
				s.printSortedEvents("handler", r)
				w.put("c", "new")
				w.put("a", "changed")
				w.put("a", "changed again")
				w.remove("b")
				w.remove("c")
				w.put("c", "back")
				s.settle()
				s.printEvents("handler", r)
				s.printf("%s", found(informer.GetStore().List(), nil))
				s.printf("%v %q %q", informer.HasSynced(), informer.LastSyncResourceVersion(), informer.GetStore().LastStoreSyncResourceVersion())
			})
		}},
		{name: "informer/order across keys", run: func(s *scenario) {
			w := newFakeServer()
			_, r := s.runInformer(w, 0)
			for i := range 20 {
				w.put(fmt.Sprintf("p%d", i*7%5), fmt.Sprint(i))
			}
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/events of the wrong type", run: func(s *scenario) {
			s.printNotificationsOf(
				watch.Event{Type: watch.Added, Object: labeled(pod("a", "10"), "added again")},
				watch.Event{Type: watch.Modified, Object: labeled(pod("new", "11"), "modified before it was there")},
			)
		}},
		{name: "informer/a deletion of an unknown object", rows: "delete-unknown", run: func(s *scenario) {
			s.printNotificationsOf(
				watch.Event{Type: watch.Deleted, Object: pod("never", "10")},
			)
		}},
		{name: "informer/a deletion received twice", rows: "delete-unknown", run: func(s *scenario) {
			s.printNotificationsOf(
				watch.Event{Type: watch.Deleted, Object: pod("a", "10")},
				watch.Event{Type: watch.Deleted, Object: pod("a", "10")},
			)
		}},
		{name: "informer/an event received twice", rows: "event-twice", run: func(s *scenario) {
			server := newRESTServer("1", pod("a", "1"))
			_, r := s.runInformerOn(server.source())
			r.take()
			server.send(watch.Modified, labeled(pod("a", "10"), "x"))
			server.send(watch.Modified, labeled(pod("a", "10"), "x"))
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/an event of functions received twice", run: func(s *scenario) {
			s.printNotificationsOf(
				watch.Event{Type: watch.Modified, Object: labeled(pod("a", "10"), "x")},
				watch.Event{Type: watch.Modified, Object: labeled(pod("a", "10"), "x")},
			)
		}},
		{name: "informer/another content with the same version", run: func(s *scenario) {
			s.printNotificationsOf(
				watch.Event{Type: watch.Modified, Object: labeled(pod("a", "10"), "x")},
				watch.Event{Type: watch.Modified, Object: labeled(pod("a", "10"), "y")},
			)
		}},
		{name: "informer/a late handler and an object written to the store", rows: "written-store", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, _ := s.runInformer(w, 0)
			s.check(informer.GetIndexer().Add(pod("written", "5")))
			late := &recorder{}
			_, err := informer.AddEventHandler(late)
			s.check(err)
			s.settle()
			s.printSortedEvents("late", late)
			w.put("b", "x")
			s.settle()
			s.printSortedEvents("late", late)
		}},
		{name: "informer/objects without versions", run: func(s *scenario) {
			w := newFakeServer()
			w.onList = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &corev1.PodList{Items: []corev1.Pod{*pod("a", "")}}, nil, true
			}
			informer, r := s.runInformer(w, 0)
			s.printEvents("handler", r)
			w.send(watch.Modified, labeled(pod("a", ""), "x"))
			w.send(watch.Modified, labeled(pod("a", ""), "y"))
			w.send(watch.Added, pod("b", ""))
			w.send(watch.Deleted, pod("a", ""))
			s.settle()
			s.printEvents("handler", r)
			s.printf("%v %s", informer.HasSynced(), found(informer.GetStore().List(), nil))
		}},
		{name: "informer/handlers do not wait for each other", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, quick := s.runInformer(w, 0)
			slow := &recorder{slow: time.Hour}
			_, err := informer.AddEventHandler(slow)
			s.check(err)
			for i := range 5 {
				w.put("a", fmt.Sprint(i))
			}
			s.settle()
			s.printEvents("quick", quick)
			s.printEvents("slow", slow)
			s.printf("%s", found(informer.GetStore().List(), nil))
			s.sleep(6 * time.Hour)
			s.printEvents("slow, after hours", slow)
		}},
		{name: "informer/notifications are not merged", run: func(s *scenario) {
			w := newFakeServer()
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: time.Millisecond}
			_, err := informer.AddEventHandler(slow)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			for i := range 400 {
				w.put("a", fmt.Sprint(i))
			}
			w.remove("a")
			s.settle()
			lines := slow.take()
			s.printf("%d, the last: %s", len(lines), lines[len(lines)-1])
		}},
		{name: "informer/indexes", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			informer := newSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{"is": byLabel})
			s.outcome("before the start", informer.AddIndexers(cache.Indexers{"second": byLabel}))
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "red")
			s.settle()
			s.printf("%s %s", found(informer.GetIndexer().ByIndex("is", "red")), found(informer.GetIndexer().ByIndex("second", "")))
		}},
		{name: "informer/a write to its store", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, r := s.runInformer(w, 0)
			r.take()
			s.outcome("add", informer.GetStore().Add(pod("mine", "9")))
			s.printf("%s", found(informer.GetStore().List(), nil))
			w.put("mine", "of the server")
			s.settle()
			s.printEvents("handler", r)
			s.printf("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "informer/a store filled without running", run: func(s *scenario) {
			informer := newSharedIndexInformer(newFakeServer().source(), &corev1.Pod{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			s.outcome("add", informer.GetIndexer().Add(pod("a", "1")))
			s.printf("%s %s", found(informer.GetIndexer().List(), nil), found(informer.GetIndexer().ByIndex(cache.NamespaceIndex, "ns")))
			s.printf("%v %q", informer.HasSynced(), informer.LastSyncResourceVersion())
			s.printf("%v", informer.IsStopped())
		}},
		{name: "informer/its controller", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			controller := informer.GetController()
			s.printf("%v %q", controller.HasSynced(), controller.LastSyncResourceVersion())
			controller.Run(nil)
			controller.RunWithContext(context.Background())
			s.start(informer.RunWithContext)
			s.settle()
			s.printf("%v %q %v", controller.HasSynced(), controller.LastSyncResourceVersion(), cache.IsDone(controller.HasSyncedChecker()))
		}},
		{name: "informer/objects of another type", rows: "wrong-object", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			reported := 0
			s.check(informer.SetWatchErrorHandler(func(*cache.Reflector, error) { reported++ }))
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			r.take()
			w.send(watch.Added, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", ResourceVersion: "50"}})
			s.settle()
			s.printEvents("handler", r)
			s.printf("%q, logged or reported: %v, reported: %v", informer.LastSyncResourceVersion(), s.logged.Load()+int64(reported) > 0, reported > 0)
			w.put("a", "still watched")
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/a nil handler", rows: "nil-handler", run: func(s *scenario) {
			informer := newSharedInformer(newFakeServer().source(), &corev1.Pod{}, 0)
			s.attempt("add nil", func() {
				_, err := informer.AddEventHandler(nil)
				s.outcome("add nil", err)
			})
		}},
		{name: "informer/functions that are nil", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			for _, handler := range []cache.ResourceEventHandler{cache.ResourceEventHandlerFuncs{}, cache.ResourceEventHandlerDetailedFuncs{}, cache.FilteringResourceEventHandler{
				FilterFunc: func(any) bool { return true }, Handler: cache.ResourceEventHandlerFuncs{}}} {
				_, err := informer.AddEventHandler(handler)
				s.check(err)
			}
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "x")
			w.remove("a")
			s.settle()
			s.printf("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "informer/unstructured objects", run: func(s *scenario) {
			s.unstructured()
		}},
		{name: "informer/metadata only", run: func(s *scenario) {
			w := newFakeServer()
			w.onList = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "5"}, Items: []metav1.PartialObjectMetadata{
					{ObjectMeta: pod("a", "3").ObjectMeta}, {ObjectMeta: pod("b", "4").ObjectMeta}}}, nil, true
			}
			informer := newSharedInformer(w.source(), &metav1.PartialObjectMetadata{}, 0)
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.send(watch.Modified, &metav1.PartialObjectMetadata{ObjectMeta: pod("a", "6").ObjectMeta})
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/no expected type", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), nil, 0)
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.send(watch.Added, node("n"))
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/a handler that reads the store", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			ahead := 0
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
				UpdateFunc: func(_, new any) {
					if item, exists, _ := informer.GetStore().Get(new); exists && object(item).GetResourceVersion() < object(new).GetResourceVersion() {
						ahead++
					}
				},
				DeleteFunc: func(obj any) {
					if _, exists, _ := informer.GetStore().Get(obj); exists {
						ahead++
					}
				},
			})
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "x")
			s.settle()
			w.put("a", "y")
			w.remove("a")
			s.settle()
			s.printf("notified before the store has changed: %d times", ahead)
		}},
		{name: "informer/handlers call the informer", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
			inner := &recorder{}
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
				_, err := informer.AddEventHandler(inner)
				s.outcome("a handler adds a handler", err)
				s.outcome("and an index", informer.AddIndexers(cache.Indexers{"is": byLabel}))
				s.printf("and lists: %d", len(informer.GetStore().List()))
			}})
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			s.printEvents("the inner handler", inner)
		}},
		{name: "informer/many handlers receive the same order", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			all := make([]*recorder, 10)
			for i := range all {
				all[i] = &recorder{}
				_, err := informer.AddEventHandler(all[i])
				s.check(err)
			}
			s.start(informer.RunWithContext)
			s.settle()
			for i := range 10 {
				w.put(fmt.Sprint("p", i%3), fmt.Sprint(i))
			}
			s.settle()
			histories := map[string]bool{}
			for _, r := range all {
				histories[strings.Join(r.take(), "\n")] = true
			}
			s.printf("%d histories", len(histories))
			for _, line := range strings.Split(slices.Collect(maps.Keys(histories))[0], "\n") {
				s.printf("%s", line)
			}
		}},
	}
}
