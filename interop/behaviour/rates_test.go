package behaviour

import (
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"
)

func rates() []testCase {
	return []testCase{
		{name: "workqueue/failures", run: func(s *scenario) {
			q := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute))
			s.stops = append(s.stops, q.ShutDown)
			for range 8 {
				before := s.now()
				q.AddRateLimited("a")
				s.printf("%s after %v, failures: %d", next(q), s.now()-before, q.NumRequeues("a"))
			}
			q.Forget("a")
			s.printf("%d %d", q.NumRequeues("a"), q.NumRequeues("unknown"))
			before := s.now()
			q.AddRateLimited("a")
			s.printf("%s after %v", next(q), s.now()-before)
			q.Forget("never there")
		}},
		{name: "workqueue/rate limiters", run: func(s *scenario) {
			for name, limiter := range inOrder(map[string]workqueue.TypedRateLimiter[string]{
				"default":     workqueue.DefaultTypedControllerRateLimiter[string](),
				"item":        workqueue.DefaultTypedItemBasedRateLimiter[string](),
				"exponential": workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, 10*time.Second),
				"fast slow":   workqueue.NewTypedItemFastSlowRateLimiter[string](time.Millisecond, time.Second, 3),
				"max of":      workqueue.NewTypedMaxOfRateLimiter(workqueue.NewTypedItemFastSlowRateLimiter[string](time.Millisecond, time.Minute, 2), workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Hour)),
				"max of none": workqueue.NewTypedMaxOfRateLimiter[string](),
				"max wait":    workqueue.NewTypedWithMaxWaitRateLimiter(workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Hour), 3*time.Second),
				"bucket":      &workqueue.TypedBucketRateLimiter[string]{Limiter: rate.NewLimiter(rate.Every(time.Second), 2)},
				"overflow":    workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour*24*365*200),
			}) {
				var delays []time.Duration
				for range 6 {
					delays = append(delays, limiter.When("a"))
				}
				s.printf("%s: %v, other: %v, failures %d", name, delays, limiter.When("b"), limiter.NumRequeues("a"))
				limiter.Forget("a")
				s.printf("%s, forgotten: %v, failures %d %d", name, limiter.When("a"), limiter.NumRequeues("a"), limiter.NumRequeues("b"))
			}
			long := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, 1000*time.Second)
			for range 2000 {
				long.When("a")
			}
			s.printf("after 2000 failures: %v", long.When("a"))
		}},
		{name: "workqueue/nil rate limiter", rows: "nil-rate-limiter", run: func(s *scenario) {
			q := workqueue.NewTypedRateLimitingQueue[string](nil)
			s.stops = append(s.stops, q.ShutDown)
			s.attempt("add", func() {
				q.AddRateLimited("a")
				s.printf("%s", next(q))
			})
		}},
	}
}
