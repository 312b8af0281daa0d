package behaviour

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

func resyncs() []testCase {
	return []testCase{
		{name: "informer/an update without a version if other handlers resync", rows: "same-version", run: func(s *scenario) {
			w := newFakeServer()
			w.onList = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return &corev1.PodList{Items: []corev1.Pod{*pod("a", "")}}, nil, true
			}
			informer := newSharedInformer(w.source(), &corev1.Pod{}, time.Minute)
			r := &recorder{}
			_, err := informer.AddEventHandlerWithResyncPeriod(r, 0)
			s.check(err)
			s.start(informer.RunWithContext)
			s.sleep(90 * time.Second)
			r.take()
			w.send(watch.Modified, labeled(pod("a", ""), "x"))
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/resync", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			informer, r := s.runInformer(w, time.Minute)
			r.take()
			s.sleep(time.Minute)
			lines := r.take()
			s.printf("%q", sorted(lines))
			s.sleep(time.Minute)
			s.printf("%q", sorted(r.take()))
			s.printf("lists: %d, %v", w.lists, informer.HasSynced())
		}},
		{name: "informer/resync of some handlers", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, time.Minute)
			never, often, seldom := &recorder{}, &recorder{}, &recorder{}
			for r, period := range map[*recorder]time.Duration{never: 0, often: time.Minute, seldom: 3 * time.Minute} {
				_, err := informer.AddEventHandlerWithResyncPeriod(r, period)
				s.check(err)
			}
			s.start(informer.RunWithContext)
			s.sleep(200 * time.Second)
			s.printEvents("never", never)
			s.printEvents("each minute", often)
			s.printEvents("each three minutes", seldom)
		}},
		{name: "informer/a handler that resyncs more often than the informer", rows: "resync-period", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, _ := s.runInformer(w, time.Hour)
			quick := &recorder{}
			_, err := informer.AddEventHandlerWithResyncPeriod(quick, time.Minute)
			s.check(err)
			s.sleep(150 * time.Second)
			s.printf("resyncs in two and a half minutes: %d", len(quick.take()))
		}},
		{name: "informer/a handler that resyncs if the informer does not", rows: "resync-period", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			_, err := informer.AddEventHandlerWithResyncPeriod(r, time.Minute)
			s.check(err)
			s.start(informer.RunWithContext)
			s.sleep(150 * time.Second)
			s.printEvents("handler", r)
		}},
		{name: "informer/handler options", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, time.Minute)
			byDefault, never := &recorder{}, &recorder{}
			_, err := informer.AddEventHandlerWithOptions(byDefault, cache.HandlerOptions{})
			s.check(err)
			_, err = informer.AddEventHandlerWithOptions(never, cache.HandlerOptions{ResyncPeriod: new(time.Duration)})
			s.check(err)
			s.start(informer.RunWithContext)
			s.sleep(90 * time.Second)
			s.printEvents("default", byDefault)
			s.printEvents("never", never)
		}},
	}
}
