package workqueue

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// fakeProvider records the values of its metrics.
type fakeProvider struct {
	mu     sync.Mutex
	values map[string]float64
	counts map[string]int
}

type fakeMetric struct {
	p    *fakeProvider
	name string
}

func (p *fakeProvider) metric(name string) *fakeMetric { return &fakeMetric{p, name} }

func (p *fakeProvider) record(name string, value float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values == nil {
		p.values, p.counts = map[string]float64{}, map[string]int{}
	}
	p.values[name] = value
	p.counts[name]++
}

func (p *fakeProvider) value(name string) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.values[name]
}

func (p *fakeProvider) count(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[name]
}

func (m *fakeMetric) Inc()              { m.p.record(m.name, m.p.value(m.name)+1) }
func (m *fakeMetric) Dec()              { m.p.record(m.name, m.p.value(m.name)-1) }
func (m *fakeMetric) Set(v float64)     { m.p.record(m.name, v) }
func (m *fakeMetric) Observe(v float64) { m.p.record(m.name, v) }

func (p *fakeProvider) NewDepthMetric(string) GaugeMetric            { return p.metric("depth") }
func (p *fakeProvider) NewAddsMetric(string) CounterMetric           { return p.metric("adds") }
func (p *fakeProvider) NewLatencyMetric(string) HistogramMetric      { return p.metric("latency") }
func (p *fakeProvider) NewWorkDurationMetric(string) HistogramMetric { return p.metric("work") }
func (p *fakeProvider) NewRetriesMetric(string) CounterMetric        { return p.metric("retries") }
func (p *fakeProvider) NewUnfinishedWorkSecondsMetric(string) SettableGaugeMetric {
	return p.metric("unfinished")
}
func (p *fakeProvider) NewLongestRunningProcessorSecondsMetric(string) SettableGaugeMetric {
	return p.metric("longest")
}

func newQueueWithMetrics(p MetricsProvider) TypedRateLimitingInterface[string] {
	return NewTypedRateLimitingQueueWithConfig(
		NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Second),
		TypedRateLimitingQueueConfig[string]{Name: "test", MetricsProvider: p},
	)
}

// The depth counts the waiting items, and those that Done will queue again: an Add that
// ClearDirty makes Done ignore does not count.
func TestDepthAfterClearDirty(t *testing.T) {
	p := &fakeProvider{}
	q := NewPriorityQueue(PriorityQueueConfig[string]{Name: "test", MetricsProvider: p})
	defer q.ShutDown()
	for range 10 {
		q.Add("a")
		take[string](t, q, 1)
		q.Add("a")
		assert.EqualValues(t, 1, p.value("depth"))
		q.ClearDirty("a")
		q.ClearDirty("a")
		q.Done("a")
		assert.EqualValues(t, 0, p.value("depth"))
		assert.Zero(t, q.Len())
	}
}

// Each metric has the value that its MetricsProvider method documents.
func TestMetricsHaveDocumentedValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakeProvider{}
		q := newQueueWithMetrics(p)
		defer q.ShutDown()
		q.Add("a")
		q.Add("a")
		q.Add("b")
		assert.EqualValues(t, 2, p.value("adds"))
		assert.EqualValues(t, 2, p.value("depth"))
		time.Sleep(3 * time.Second)
		take[string](t, q, 1)
		assert.EqualValues(t, 1, p.value("depth"))
		assert.EqualValues(t, 3, p.value("latency"))
		q.Add("a") // queued at Done
		assert.EqualValues(t, 2, p.value("depth"))
		time.Sleep(2 * time.Second)
		q.Done("a")
		q.Done("a")
		assert.EqualValues(t, 2, p.value("work"))
		assert.Equal(t, 1, p.count("work"), "a second Done must not be measured")
		take[string](t, q, 2)
		assert.EqualValues(t, 2, p.value("latency"), "the latency of an item that was added while it was processed")
		q.AddRateLimited("c")
		q.AddAfter("c", 0)
		assert.EqualValues(t, 2, p.value("retries"))
		assert.EqualValues(t, 4, p.value("adds"))
		q.AddAfter("d", time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.EqualValues(t, 5, p.value("adds"), "a delayed item is added when it is due")
	})
}

// The gauges of work in progress are updated while an item is processed, and
// end at 0, with and without a shutdown.
func TestGaugesOfWorkInProgressEndAtZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakeProvider{}
		q := newQueueWithMetrics(p)
		q.Add("a")
		q.Add("b")
		take[string](t, q, 1)
		time.Sleep(2 * time.Second)
		take[string](t, q, 1)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.EqualValues(t, 4, p.value("unfinished"))
		assert.EqualValues(t, 3, p.value("longest"))
		q.Done("a")
		time.Sleep(unfinishedWorkUpdatePeriod)
		synctest.Wait()
		assert.EqualValues(t, 1.5, p.value("unfinished"))
		assert.EqualValues(t, 1.5, p.value("longest"))
		q.Done("b")
		time.Sleep(unfinishedWorkUpdatePeriod)
		synctest.Wait()
		assert.Zero(t, p.value("unfinished"))

		sets := p.count("unfinished")
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, sets, p.count("unfinished"), "the gauges of an idle queue must not be updated")

		q.Add("c")
		take[string](t, q, 1)
		time.Sleep(time.Second)
		synctest.Wait()
		q.ShutDown()
		assert.EqualValues(t, 1, p.value("longest"))
		sets = p.count("unfinished")
		time.Sleep(time.Hour)
		assert.Equal(t, sets, p.count("unfinished"), "the gauges must not be updated after the shutdown")
		q.Done("c")
		assert.Zero(t, p.value("unfinished"))
		assert.Zero(t, p.value("longest"))
	})
}

// A queue without a name has no metrics. A provider may return nil metrics.
func TestQueueWithoutNameHasNoMetrics(t *testing.T) {
	for name, provider := range map[string]MetricsProvider{"": &fakeProvider{}, "x": nilProvider{}} {
		q := NewTypedRateLimitingQueueWithConfig(nil, TypedRateLimitingQueueConfig[string]{
			Name: name, MetricsProvider: provider,
		})
		q.Add("a")
		q.Get()
		q.AddRateLimited("a")
		q.Done("a")
		q.ShutDown()
		if p, ok := provider.(*fakeProvider); ok {
			assert.Empty(t, p.counts)
		}
	}
}

type nilProvider struct{}

func (nilProvider) NewDepthMetric(string) GaugeMetric                                  { return nil }
func (nilProvider) NewAddsMetric(string) CounterMetric                                 { return nil }
func (nilProvider) NewLatencyMetric(string) HistogramMetric                            { return nil }
func (nilProvider) NewWorkDurationMetric(string) HistogramMetric                       { return nil }
func (nilProvider) NewRetriesMetric(string) CounterMetric                              { return nil }
func (nilProvider) NewUnfinishedWorkSecondsMetric(string) SettableGaugeMetric          { return nil }
func (nilProvider) NewLongestRunningProcessorSecondsMetric(string) SettableGaugeMetric { return nil }

// Only the first SetProvider with a provider has an effect.
func TestFirstProviderTakesEffect(t *testing.T) {
	defer provider.Store(nil)
	first, own := &fakeProvider{}, &fakeProvider{}
	SetProvider(nil)
	SetProvider(first)
	SetProvider(&fakeProvider{})
	newQueueWithMetrics(nil).Add("a")
	newQueueWithMetrics(own).Add("b")
	assert.EqualValues(t, 1, first.value("adds"))
	assert.EqualValues(t, 1, own.value("adds"))
}

// A metric may call the queue, because no lock is held.
func TestMetricsAreCalledWithoutLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &callingProvider{}
		q := newQueueWithMetrics(p)
		p.call = func() { q.Len() }
		q.Add("a")
		q.AddAfter("b", time.Second)
		q.Get()
		time.Sleep(time.Second)
		q.Done("a")
		q.ShutDown()
	})
}

type callingProvider struct {
	nilProvider
	call func()
}

func (p *callingProvider) NewDepthMetric(string) GaugeMetric                         { return p }
func (p *callingProvider) NewAddsMetric(string) CounterMetric                        { return p }
func (p *callingProvider) NewLatencyMetric(string) HistogramMetric                   { return p }
func (p *callingProvider) NewWorkDurationMetric(string) HistogramMetric              { return p }
func (p *callingProvider) NewRetriesMetric(string) CounterMetric                     { return p }
func (p *callingProvider) NewUnfinishedWorkSecondsMetric(string) SettableGaugeMetric { return p }
func (p *callingProvider) Inc()                                                      { p.call() }
func (p *callingProvider) Dec()                                                      { p.call() }
func (p *callingProvider) Set(float64)                                               { p.call() }
func (p *callingProvider) Observe(float64)                                           { p.call() }
