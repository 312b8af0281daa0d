package behaviour

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func relists() []scene {
	return []scene{
		{name: "informer/a watch that ends is resumed", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			lists := w.lists
			w.cut()
			s.settle()
			w.put("a", "changed")
			s.settle()
			s.tell("handler", r)
			s.say("lists: %d more", w.lists-lists)
		}},
		{name: "informer/a relist tells what has changed", play: func(s *stage) {
			both(s, func(streams bool) {
				w := newWorld("a", "b", "c")
				w.streams = streams
				_, r := s.informed(w, 0)
				r.heard()
				w.silently(func() {
					w.put("a", "changed")
					w.put("b", "changed")
					w.drop("c")
					w.put("d", "new")
				})
				s.settle()
				s.tellInAnyOrder("handler", r)
			})
		}},
		{name: "informer/a relist that finds the same", rows: "relist-unchanged", play: func(s *stage) {
			both(s, func(streams bool) {
				w := newWorld("a")
				w.streams = streams
				_, r := s.informed(w, 0)
				r.heard()
				w.silently(func() {})
				s.settle()
				s.tell("handler", r)
			})
		}},
		{name: "informer/a relist that finds another of the name", rows: "new-uid", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			w.silently(func() {
				w.put("a", "reborn")
				w.pods["a"] = uid(w.pods["a"], "another")
			})
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/an event of another of the name", rows: "new-uid", play: func(s *stage) {
			w := newWorld("a")
			_, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Modified, uid(pod("a", "10"), "another"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/tombstones", rows: "relist-unchanged", play: func(s *stage) {
			w := newWorld("a", "b")
			informer, r := s.informed(w, 0)
			r.heard()
			w.put("a", "last seen")
			s.settle()
			r.heard()
			w.silently(func() { w.drop("a") })
			s.settle()
			s.tell("handler", r)
			s.say("%s", found(informer.GetStore().List(), nil))
			w.silently(func() { w.drop("b") })
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/bookmarks", play: func(s *stage) {
			w := newWorld("a")
			informer, r := s.informed(w, 0)
			r.heard()
			w.send(watch.Bookmark, bookmark("77", false))
			s.settle()
			s.tell("handler", r)
			s.say("%q %q", informer.LastSyncResourceVersion(), informer.GetStore().LastStoreSyncResourceVersion())
			var asked string
			w.asked = func(verb string, o metav1.ListOptions) { asked = verb + " from " + o.ResourceVersion }
			w.cut()
			s.settle()
			s.say("%s", asked)
		}},
	}
}
