package workqueue

import "time"

// unfinishedWorkUpdatePeriod is the interval at which the gauges of unfinished
// work are set.
const unfinishedWorkUpdatePeriod = 500 * time.Millisecond

// queueMetrics updates the metrics of one queue. A timer sets the two gauges
// that grow with time. It runs only while items are processed, so an idle queue
// has no goroutine and no timer. After shutdown there is no timer, and each
// Done sets the gauges.
type queueMetrics[T comparable] struct {
	queue *Typed[T]

	depth      GaugeMetric
	adds       CounterMetric
	latency    HistogramMetric
	work       HistogramMetric
	unfinished SettableGaugeMetric
	longest    SettableGaugeMetric

	// The following fields are guarded by the lock of the queue.

	inProgress list[T] // items being processed, earliest start first; by timeLink
	startSum   int64   // sum of their start times
	timer      deadlineTimer
	publishing bool // a goroutine is setting the gauges
	outdated   bool // ... and must set them once more
}

// newQueueMetrics returns nil if the queue has no name or no provider.
func newQueueMetrics[T comparable](q *Typed[T], name string, configured MetricsProvider) *queueMetrics[T] {
	p := providerFor(name, configured)
	if p == nil {
		return nil
	}
	m := &queueMetrics[T]{
		queue:      q,
		depth:      orElse[GaugeMetric](p.NewDepthMetric(name), noopMetric{}),
		adds:       orElse[CounterMetric](p.NewAddsMetric(name), noopMetric{}),
		latency:    orElse[HistogramMetric](p.NewLatencyMetric(name), noopMetric{}),
		work:       orElse[HistogramMetric](p.NewWorkDurationMetric(name), noopMetric{}),
		unfinished: orElse[SettableGaugeMetric](p.NewUnfinishedWorkSecondsMetric(name), noopMetric{}),
		longest:    orElse[SettableGaugeMetric](p.NewLongestRunningProcessorSecondsMetric(name), noopMetric{}),
	}
	m.timer = newDeadlineTimer(q.clock.clock, m.tick)
	return m
}

// The following methods are called without the lock.

func (m *queueMetrics[T]) added(items int) {
	for range items {
		m.adds.Inc()
		m.depth.Inc()
	}
}

func (m *queueMetrics[T]) got(waited int64) {
	m.depth.Dec()
	m.latency.Observe(seconds(waited))
}

func (m *queueMetrics[T]) done(worked int64) { m.work.Observe(seconds(worked)) }

func (m *queueMetrics[T]) tick() {
	m.publish()
	q := m.queue
	now := q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	m.timer.stop()
	if q.processing > 0 && !q.shuttingDown {
		m.timer.set(now, now+int64(unfinishedWorkUpdatePeriod))
	}
}

// publish sets the two gauges. If several goroutines call it, one of them sets
// the gauges, again if necessary, so that the last value set is the most recent
// one.
func (m *queueMetrics[T]) publish() {
	q := m.queue
	q.mu.Lock()
	m.outdated = true
	if m.publishing {
		q.mu.Unlock()
		return
	}
	m.publishing = true
	for m.outdated {
		m.outdated = false
		unfinished, longest := m.unfinishedWork(q.clock.now())
		q.mu.Unlock()
		m.unfinished.Set(seconds(unfinished))
		m.longest.Set(seconds(longest))
		q.mu.Lock()
	}
	m.publishing = false
	q.mu.Unlock()
}

// The following methods are called with the lock held.

func (m *queueMetrics[T]) start(n *entry[T]) {
	m.inProgress.pushBack(n, timeLink)
	m.startSum += n.val.started
	if !m.queue.shuttingDown {
		m.timer.set(n.val.started, n.val.started+int64(unfinishedWorkUpdatePeriod))
	}
}

func (m *queueMetrics[T]) stop(n *entry[T]) {
	m.inProgress.remove(n, timeLink)
	m.startSum -= n.val.started
}

func (m *queueMetrics[T]) unfinishedWork(now int64) (unfinished, longest int64) {
	if m.inProgress.head == nil {
		return 0, 0
	}
	return int64(m.queue.processing)*now - m.startSum, now - m.inProgress.head.val.started
}

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }

// noopMetric replaces a metric that the provider returns as nil.
type noopMetric struct{}

func (noopMetric) Inc()            {}
func (noopMetric) Dec()            {}
func (noopMetric) Set(float64)     {}
func (noopMetric) Observe(float64) {}

func orElse[M comparable](metric, otherwise M) M {
	var none M
	if metric == none {
		return otherwise
	}
	return metric
}
