package behaviour

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func transforms() []testCase {
	return []testCase{
		{name: "informer/transform", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			s.outcome("set", informer.SetTransform(func(obj any) (any, error) { return relabeled(obj, "transformed"), nil }))
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.put("b", "x")
			w.put("b", "y")
			w.remove("b")
			s.settle()
			s.printEvents("handler", r)
			w.relistAfter(func() { w.remove("a") })
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/transform of a streamed list", rows: "transform-twice", run: func(s *scenario) {
			w := newFakeServer("a")
			w.streams = true
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			calls := 0
			s.check(informer.SetTransform(func(obj any) (any, error) { calls++; return obj, nil }))
			s.start(informer.RunWithContext)
			s.settle()
			s.printf("%d calls for one object", calls)
		}},
		{name: "informer/transform that fails in a stream", run: func(s *scenario) {
			s.transformFails(true)
		}},
		{name: "informer/transform that fails in a list", rows: "transform-error", run: func(s *scenario) {
			s.transformFails(false)
		}},
		{name: "informer/transform that fails in an event", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			s.check(informer.SetTransform(func(obj any) (any, error) {
				if object(obj).GetLabels()["is"] == "bad" {
					return nil, errors.New("as planned")
				}
				return obj, nil
			}))
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			r.take()
			w.put("a", "bad")
			w.put("b", "good")
			s.settle()
			s.printEvents("handler", r)
			s.printf("%s logged: %v", found(informer.GetStore().List(), nil), s.logged.Load() > 0)
		}},
	}
}

// transformFails runs an informer whose transform fails for one object of the first list.
func (s *scenario) transformFails(streams bool) {
	w := newFakeServer("a", "bad", "c")
	w.streams = streams
	informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
	s.check(informer.SetTransform(func(obj any) (any, error) {
		if object(obj).GetName() == "bad" {
			return nil, errors.New("as planned")
		}
		return obj, nil
	}))
	r := &recorder{}
	_, err := informer.AddEventHandler(r)
	s.check(err)
	s.start(informer.RunWithContext)
	s.sleep(time.Minute)
	s.printSortedEvents("handler", r)
	s.printf("synced: %v, the store: %s", informer.HasSynced(), found(informer.GetStore().List(), nil))
	s.printf("logged: %v", s.logged.Load() > 0)
}
