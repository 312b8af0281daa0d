package behaviour

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func transforms() []scene {
	return []scene{
		{name: "informer/transform", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			s.outcome("set", informer.SetTransform(func(obj any) (any, error) { return is(obj.(*corev1.Pod), "transformed"), nil }))
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.put("b", "x")
			w.put("b", "y")
			w.drop("b")
			s.settle()
			s.tell("handler", r)
			w.silently(func() { w.drop("a") })
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/transform of a streamed list", rows: "transform-twice", play: func(s *stage) {
			w := newWorld("a")
			w.streams = true
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			calls := 0
			s.unless(informer.SetTransform(func(obj any) (any, error) { calls++; return obj, nil }))
			s.start(informer.RunWithContext)
			s.settle()
			s.say("%d calls for one object", calls)
		}},
		{name: "informer/transform that fails in a stream", play: func(s *stage) {
			s.transformFails(true)
		}},
		{name: "informer/transform that fails in a list", rows: "transform-error", play: func(s *stage) {
			s.transformFails(false)
		}},
		{name: "informer/transform that fails in an event", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			s.unless(informer.SetTransform(func(obj any) (any, error) {
				if obj.(*corev1.Pod).Labels["is"] == "bad" {
					return nil, errors.New("as planned")
				}
				return obj, nil
			}))
			r := &recorder{}
			_, err := informer.AddEventHandler(r)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			r.heard()
			w.put("a", "bad")
			w.put("b", "good")
			s.settle()
			s.tell("handler", r)
			s.say("%s logged: %v", found(informer.GetStore().List(), nil), s.logged.Load() > 0)
		}},
	}
}

// transformFails has a transform fail for one object of the first list, and be
// repaired after a relist.
func (s *stage) transformFails(streams bool) {
	w := newWorld("a", "bad", "c")
	w.streams = streams
	informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
	s.unless(informer.SetTransform(func(obj any) (any, error) {
		if obj.(*corev1.Pod).Name == "bad" {
			return nil, errors.New("as planned")
		}
		return obj, nil
	}))
	r := &recorder{}
	_, err := informer.AddEventHandler(r)
	s.unless(err)
	s.start(informer.RunWithContext)
	s.sleep(time.Minute)
	s.tellInAnyOrder("handler", r)
	s.say("synced: %v, the store: %s", informer.HasSynced(), found(informer.GetStore().List(), nil))
	s.say("logged: %v", s.logged.Load() > 0)
}
