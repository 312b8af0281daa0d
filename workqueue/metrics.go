package workqueue

import "sync/atomic"

// GaugeMetric is a number that goes up and down.
type GaugeMetric interface {
	Inc()
	Dec()
}

// SettableGaugeMetric is a number that is set.
type SettableGaugeMetric interface {
	Set(float64)
}

// CounterMetric is a number that only goes up.
type CounterMetric interface {
	Inc()
}

// SummaryMetric takes single observations. No metric of the queue is one; the
// name is client-go's.
type SummaryMetric interface {
	Observe(float64)
}

// HistogramMetric takes single observations.
type HistogramMetric interface {
	Observe(float64)
}

// MetricsProvider makes the metrics of a queue with a name. It is asked once
// for each when the queue is made. A metric that it returns as nil is not
// kept. Durations are in seconds.
//
// Metrics are called without any lock of the queue's, and so in no strict
// order: for a moment a depth may miss an item, or have one too many.
type MetricsProvider interface {
	// NewDepthMetric counts the items added and not yet handed out, those
	// added again while in work included.
	NewDepthMetric(name string) GaugeMetric
	// NewAddsMetric counts the adds that were news to the queue.
	NewAddsMetric(name string) CounterMetric
	// NewLatencyMetric observes how long items waited from Add to Get.
	NewLatencyMetric(name string) HistogramMetric
	// NewWorkDurationMetric observes how long items were in work.
	NewWorkDurationMetric(name string) HistogramMetric
	// NewUnfinishedWorkSecondsMetric is how long the items that are now in
	// work have been, together.
	NewUnfinishedWorkSecondsMetric(name string) SettableGaugeMetric
	// NewLongestRunningProcessorSecondsMetric is how long the item that is
	// in work longest has been.
	NewLongestRunningProcessorSecondsMetric(name string) SettableGaugeMetric
	// NewRetriesMetric counts the calls of AddAfter and AddRateLimited.
	NewRetriesMetric(name string) CounterMetric
}

// provider is the one global of the room: SetProvider, which client-go's
// users call, leaves no choice.
var provider atomic.Pointer[MetricsProvider]

// SetProvider sets the provider of all queues made afterwards whose config
// has none. Only the first call counts; one with nil does not.
func SetProvider(metricsProvider MetricsProvider) {
	if metricsProvider != nil {
		provider.CompareAndSwap(nil, &metricsProvider)
	}
}

// providerFor returns nil where there is nothing to measure: for a queue
// without a name, or without a provider.
func providerFor(name string, own MetricsProvider) MetricsProvider {
	if name == "" {
		return nil
	}
	if p := provider.Load(); own == nil && p != nil {
		return *p
	}
	return own
}

func newRetries(name string, own MetricsProvider) CounterMetric {
	if p := providerFor(name, own); p != nil {
		return p.NewRetriesMetric(name)
	}
	return nil
}
