package behaviour

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func relists() []testCase {
	return []testCase{
		{name: "informer/a watch that ends is resumed", run: func(s *scenario) {
			w := newFakeServer("a")
			_, r := s.runInformer(w, 0)
			r.take()
			lists := w.lists
			w.endWatch()
			s.settle()
			w.put("a", "changed")
			s.settle()
			s.printEvents("handler", r)
			s.printf("lists: %d more", w.lists-lists)
		}},
		{name: "informer/a relist reports what has changed", run: func(s *scenario) {
			withAndWithoutStreams(s, func(streams bool) {
				w := newFakeServer("a", "b", "c")
				w.streams = streams
				_, r := s.runInformer(w, 0)
				r.take()
				w.relistAfter(func() {
					w.put("a", "changed")
					w.put("b", "changed")
					w.remove("c")
					w.put("d", "new")
				})
				s.settle()
				s.printSortedEvents("handler", r)
			})
		}},
		{name: "informer/a relist without changes", rows: "relist-unchanged", run: func(s *scenario) {
			withAndWithoutStreams(s, func(streams bool) {
				w := newFakeServer("a")
				w.streams = streams
				_, r := s.runInformer(w, 0)
				r.take()
				w.relistAfter(func() {})
				s.settle()
				s.printEvents("handler", r)
			})
		}},
		{name: "informer/a relist with another object of the same name", rows: "new-uid", run: func(s *scenario) {
			w := newFakeServer("a")
			_, r := s.runInformer(w, 0)
			r.take()
			w.relistAfter(func() {
				w.put("a", "reborn")
				w.pods["a"] = uid(w.pods["a"], "another")
			})
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/an event of another object of the same name", rows: "new-uid", run: func(s *scenario) {
			w := newFakeServer("a")
			_, r := s.runInformer(w, 0)
			r.take()
			w.send(watch.Modified, uid(pod("a", "10"), "another"))
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/tombstones", rows: "relist-unchanged", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			informer, r := s.runInformer(w, 0)
			r.take()
			w.put("a", "last seen")
			s.settle()
			r.take()
			w.relistAfter(func() { w.remove("a") })
			s.settle()
			s.printEvents("handler", r)
			s.printf("%s", found(informer.GetStore().List(), nil))
			w.relistAfter(func() { w.remove("b") })
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/bookmarks", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, r := s.runInformer(w, 0)
			r.take()
			w.send(watch.Bookmark, bookmark("77", false))
			s.settle()
			s.printEvents("handler", r)
			s.printf("%q %q", informer.LastSyncResourceVersion(), informer.GetStore().LastStoreSyncResourceVersion())
			var asked string
			w.onRequest = func(verb string, o metav1.ListOptions) { asked = verb + " from " + o.ResourceVersion }
			w.endWatch()
			s.settle()
			s.printf("%s", asked)
		}},
	}
}
