package workqueue

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/time/rate"
)

// Each limiter returns the documented delays of consecutive failures.
func TestRateLimiterDelays(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	exponential := NewTypedItemExponentialFailureRateLimiter[string]
	fastSlow := NewTypedItemFastSlowRateLimiter[string]
	for name, test := range map[string]struct {
		limiter TypedRateLimiter[string]
		want    []time.Duration
	}{
		"exponential":             {exponential(ms, s), []time.Duration{ms, 2 * ms, 4 * ms, 8 * ms}},
		"exponential, bounded":    {exponential(300*ms, s), []time.Duration{300 * ms, 600 * ms, s, s}},
		"exponential, no base":    {exponential(0, s), []time.Duration{0, 0}},
		"exponential, negative":   {exponential(-1, s), []time.Duration{0, 0}},
		"exponential, huge base":  {exponential(math.MaxInt64, s), []time.Duration{s, s}},
		"exponential, no bound":   {exponential(1<<61, math.MaxInt64), []time.Duration{1 << 61, 1 << 62, math.MaxInt64}},
		"exponential, zero value": {&TypedItemExponentialFailureRateLimiter[string]{}, []time.Duration{0, 0}},
		"fast and slow":           {fastSlow(ms, s, 2), []time.Duration{ms, ms, s, s}},
		"slow":                    {fastSlow(ms, s, 0), []time.Duration{s, s}},
		"max of none":             {NewTypedMaxOfRateLimiter[string](), []time.Duration{0}},
		"max of nil":              {NewTypedMaxOfRateLimiter[string](nil, nil), []time.Duration{0}},
		"max":                     {NewTypedMaxOfRateLimiter(exponential(ms, s), nil, fastSlow(2*ms, 3*ms, 2)), []time.Duration{2 * ms, 2 * ms, 4 * ms}},
		"bounded":                 {NewTypedWithMaxWaitRateLimiter(exponential(ms, s), 3*ms), []time.Duration{ms, 2 * ms, 3 * ms}},
		"bounded nil":             {NewTypedWithMaxWaitRateLimiter[string](nil, s), []time.Duration{0}},
		"bucket without limiter":  {&TypedBucketRateLimiter[string]{}, []time.Duration{0}},
		"bucket without tokens":   {&TypedBucketRateLimiter[string]{rate.NewLimiter(1, 0)}, []time.Duration{math.MaxInt64}},
		"item default":            {DefaultTypedItemBasedRateLimiter[string](), []time.Duration{ms, 2 * ms}},
		"default":                 {DefaultTypedControllerRateLimiter[string](), []time.Duration{5 * ms, 10 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			for round := range 2 { // the second round follows Forget
				for i, want := range test.want {
					assert.Equal(t, want, test.limiter.When("a"), "round %d, failure %d", round, i+1)
				}
				test.limiter.Forget("a")
				assert.Zero(t, test.limiter.NumRequeues("a"))
				test.limiter.Forget("unknown")
			}
		})
	}
}

// The delay is never negative and never exceeds the maximum, after any number
// of failures.
func TestDelayNeverOverflows(t *testing.T) {
	for _, base := range []time.Duration{1, 3, time.Millisecond, time.Second, 1 << 62} {
		l := NewTypedItemExponentialFailureRateLimiter[int](base, math.MaxInt64)
		last := time.Duration(0)
		for i := range 200 {
			d := l.When(0)
			if exact := float64(base) * math.Pow(2, float64(i)); exact < math.MaxInt64 {
				assert.Equal(t, time.Duration(exact), d)
			}
			assert.GreaterOrEqual(t, d, last)
			last = d
		}
		assert.Equal(t, 200, l.NumRequeues(0))
		assert.EqualValues(t, math.MaxInt64, last)
	}
}

// All items share the bucket, which refills.
func TestBucketIsSharedAndRefills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &TypedBucketRateLimiter[string]{Limiter: rate.NewLimiter(10, 2)}
		var got []time.Duration
		for i := range 4 {
			got = append(got, l.When(fmt.Sprint(i)))
		}
		assert.Equal(t, []time.Duration{0, 0, 100 * time.Millisecond, 200 * time.Millisecond}, got)
		assert.Zero(t, l.NumRequeues("0"))
		time.Sleep(time.Second)
		assert.Zero(t, l.When("0"))
	})
}

// A queue with a nil limiter uses the default limiter. Forget does not end a
// pending delay.
func TestDefaultRateLimiterAndForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedRateLimitingQueue[string](nil)
		defer q.ShutDown()
		q.AddRateLimited("a")
		assert.Equal(t, 1, q.NumRequeues("a"))
		q.Forget("a")
		time.Sleep(5 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, take[string](t, q, 1))
	})
}

// The DelayingQueue of the configuration is used.
func TestCustomDelayingQueue(t *testing.T) {
	di := NewTypedDelayingQueue[any]()
	defer di.ShutDown()
	q := NewRateLimitingQueueWithDelayingInterface(di, NewItemFastSlowRateLimiter(0, 0, 0))
	q.AddRateLimited("a")
	assert.Equal(t, 1, di.Len())
}
