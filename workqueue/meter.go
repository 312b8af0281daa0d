package workqueue

import "time"

// meterPeriod is how often the gauges of work in progress are set.
const meterPeriod = 500 * time.Millisecond

// meter keeps the metrics of one queue. The two gauges that grow by
// themselves are set by an alarm, which is on only while something is in
// work: an idle queue costs no goroutine and no timer. After shutdown there
// is no alarm any more, and each Done sets them.
type meter[T comparable] struct {
	queue *Typed[T]

	depth      GaugeMetric
	adds       CounterMetric
	latency    HistogramMetric
	work       HistogramMetric
	unfinished SettableGaugeMetric
	longest    SettableGaugeMetric

	// Guarded by the queue's lock.

	started    list[T] // what is in work, earliest start first; by byTime
	starts     int64   // sum of their starts
	alarm      alarm
	publishing bool // somebody is setting the gauges
	stale      bool // ... and must do it once more
}

// newMeter returns nil if nobody measures the queue.
func newMeter[T comparable](q *Typed[T], name string, own MetricsProvider) *meter[T] {
	p := providerFor(name, own)
	if p == nil {
		return nil
	}
	m := &meter[T]{
		queue:      q,
		depth:      or[GaugeMetric](p.NewDepthMetric(name), unkept{}),
		adds:       or[CounterMetric](p.NewAddsMetric(name), unkept{}),
		latency:    or[HistogramMetric](p.NewLatencyMetric(name), unkept{}),
		work:       or[HistogramMetric](p.NewWorkDurationMetric(name), unkept{}),
		unfinished: or[SettableGaugeMetric](p.NewUnfinishedWorkSecondsMetric(name), unkept{}),
		longest:    or[SettableGaugeMetric](p.NewLongestRunningProcessorSecondsMetric(name), unkept{}),
	}
	m.alarm = newAlarm(q.clock.clock, m.tick)
	return m
}

// The following are called without the lock.

func (m *meter[T]) added(items int) {
	for range items {
		m.adds.Inc()
		m.depth.Inc()
	}
}

func (m *meter[T]) got(waited int64) {
	m.depth.Dec()
	m.latency.Observe(seconds(waited))
}

func (m *meter[T]) done(worked int64) { m.work.Observe(seconds(worked)) }

func (m *meter[T]) tick() {
	m.publish()
	q := m.queue
	now := q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	m.alarm.off()
	if q.working > 0 && !q.shut {
		m.alarm.set(now, now+int64(meterPeriod))
	}
}

// publish sets the two gauges. Of several callers one does the work, again
// if need be, so that the last value set is the last that was true.
func (m *meter[T]) publish() {
	q := m.queue
	q.mu.Lock()
	m.stale = true
	if m.publishing {
		q.mu.Unlock()
		return
	}
	m.publishing = true
	for m.stale {
		m.stale = false
		unfinished, longest := m.inWork(q.clock.now())
		q.mu.Unlock()
		m.unfinished.Set(seconds(unfinished))
		m.longest.Set(seconds(longest))
		q.mu.Lock()
	}
	m.publishing = false
	q.mu.Unlock()
}

// The following are called under the lock.

func (m *meter[T]) start(n *entry[T]) {
	m.started.pushBack(n, byTime)
	m.starts += n.val.started
	if !m.queue.shut {
		m.alarm.set(n.val.started, n.val.started+int64(meterPeriod))
	}
}

func (m *meter[T]) stop(n *entry[T]) {
	m.started.remove(n, byTime)
	m.starts -= n.val.started
}

func (m *meter[T]) inWork(now int64) (unfinished, longest int64) {
	if m.started.head == nil {
		return 0, 0
	}
	return int64(m.queue.working)*now - m.starts, now - m.started.head.val.started
}

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }

// unkept stands in for a metric that the provider does not keep.
type unkept struct{}

func (unkept) Inc()            {}
func (unkept) Dec()            {}
func (unkept) Set(float64)     {}
func (unkept) Observe(float64) {}

func or[M comparable](metric, otherwise M) M {
	var none M
	if metric == none {
		return otherwise
	}
	return metric
}
