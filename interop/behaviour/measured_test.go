package behaviour

import (
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

func measured() []testCase {
	return []testCase{
		{name: "workqueue/metrics", run: func(s *scenario) {
			m := &measures{values: map[string]float64{}}
			q := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute),
				workqueue.TypedRateLimitingQueueConfig[string]{Name: "q", MetricsProvider: m})
			q.Add("a")
			q.Add("b")
			q.Add("a")
			m.print(s, "two waiting")
			item, _ := q.Get()
			s.sleep(3 * time.Second)
			m.print(s, "one processed")
			q.Done(item)
			m.print(s, "done")
			q.AddRateLimited("a")
			s.settle()
			m.print(s, "failed")
			q.ShutDown()
		}},
	}
}

// measures is a MetricsProvider that records metrics.
type measures struct {
	mu     sync.Mutex
	values map[string]float64
}

func (m *measures) print(s *scenario, when string) {
	s.sleep(time.Second)
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, value := range inOrder(m.values) {
		if value != 0 {
			s.printf("%s: %s %v", when, name, value)
		}
	}
}

type measure struct {
	of   *measures
	name string
}

func (m measure) add(by float64, isSum bool) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if isSum {
		by += m.of.values[m.name]
	}
	m.of.values[m.name] = by
}

func (m measure) Inc()              { m.add(1, true) }
func (m measure) Dec()              { m.add(-1, true) }
func (m measure) Set(value float64) { m.add(float64(int(value)), false) }
func (m measure) Observe(float64)   { m.add(1, true) }

func (m *measures) NewDepthMetric(string) workqueue.GaugeMetric            { return measure{m, "depth"} }
func (m *measures) NewAddsMetric(string) workqueue.CounterMetric           { return measure{m, "adds"} }
func (m *measures) NewLatencyMetric(string) workqueue.HistogramMetric      { return measure{m, "latency"} }
func (m *measures) NewWorkDurationMetric(string) workqueue.HistogramMetric { return measure{m, "work"} }
func (m *measures) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return measure{m, "unfinished"}
}
func (m *measures) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return measure{m, "longest"}
}
func (m *measures) NewRetriesMetric(string) workqueue.CounterMetric { return measure{m, "retries"} }
