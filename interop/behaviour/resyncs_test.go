package behaviour

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

func resyncs() []scene {
	return []scene{
		{name: "informer/an update without a version where others resync", rows: "same-version", play: func(s *stage) {
			w := newWorld()
			w.listed = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &corev1.PodList{Items: []corev1.Pod{*pod("a", "")}}, nil, true
			}
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, time.Minute)
			r := &recorder{}
			_, err := informer.AddEventHandlerWithResyncPeriod(r, 0)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.sleep(90 * time.Second)
			r.heard()
			w.send(watch.Modified, is(pod("a", ""), "x"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/resync", play: func(s *stage) {
			w := newWorld("a", "b")
			informer, r := s.informed(w, time.Minute)
			r.heard()
			s.sleep(time.Minute)
			lines := r.heard()
			s.say("%q", sorted(lines))
			s.sleep(time.Minute)
			s.say("%q", sorted(r.heard()))
			s.say("lists: %d, %v", w.lists, informer.HasSynced())
		}},
		{name: "informer/resync of some", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, time.Minute)
			never, often, seldom := &recorder{}, &recorder{}, &recorder{}
			for r, period := range map[*recorder]time.Duration{never: 0, often: time.Minute, seldom: 3 * time.Minute} {
				_, err := informer.AddEventHandlerWithResyncPeriod(r, period)
				s.unless(err)
			}
			s.start(informer.RunWithContext)
			s.sleep(200 * time.Second)
			s.tell("never", never)
			s.tell("each minute", often)
			s.tell("each three minutes", seldom)
		}},
		{name: "informer/resync faster than the informer's", rows: "resync-period", play: func(s *stage) {
			w := newWorld("a")
			informer, _ := s.informed(w, time.Hour)
			quick := &recorder{}
			_, err := informer.AddEventHandlerWithResyncPeriod(quick, time.Minute)
			s.unless(err)
			s.sleep(150 * time.Second)
			s.say("times in two minutes and a half: %d", len(quick.heard()))
		}},
		{name: "informer/resync where the informer has none", rows: "resync-period", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			_, err := informer.AddEventHandlerWithResyncPeriod(r, time.Minute)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.sleep(150 * time.Second)
			s.tell("handler", r)
		}},
		{name: "informer/handler options", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, time.Minute)
			byDefault, never := &recorder{}, &recorder{}
			_, err := informer.AddEventHandlerWithOptions(byDefault, cache.HandlerOptions{})
			s.unless(err)
			_, err = informer.AddEventHandlerWithOptions(never, cache.HandlerOptions{ResyncPeriod: new(time.Duration)})
			s.unless(err)
			s.start(informer.RunWithContext)
			s.sleep(90 * time.Second)
			s.tell("default", byDefault)
			s.tell("never", never)
		}},
	}
}
