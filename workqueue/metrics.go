package workqueue

import "sync/atomic"

// GaugeMetric is a value that increases and decreases.
type GaugeMetric interface {
	Inc()
	Dec()
}

// SettableGaugeMetric is a value that is set.
type SettableGaugeMetric interface {
	Set(float64)
}

// CounterMetric is a value that only increases.
type CounterMetric interface {
	Inc()
}

// SummaryMetric records observations. The queue does not use it; it exists
// because client-go has it.
type SummaryMetric interface {
	Observe(float64)
}

// HistogramMetric records observations.
type HistogramMetric interface {
	Observe(float64)
}

// MetricsProvider creates the metrics of a named queue. Each method is called
// once when the queue is created. It may return nil to omit a metric. Durations
// are in seconds.
//
// Metrics are called without any lock of the queue, and so in no strict order.
// The depth may be off by one for a moment.
type MetricsProvider interface {
	// NewDepthMetric returns a gauge of the number of items that were added
	// and not yet returned by Get, including items that were added again
	// while they are processed.
	NewDepthMetric(name string) GaugeMetric
	// NewAddsMetric returns a counter of the calls of Add that changed the
	// queue.
	NewAddsMetric(name string) CounterMetric
	// NewLatencyMetric returns a histogram of the time from Add to Get.
	NewLatencyMetric(name string) HistogramMetric
	// NewWorkDurationMetric returns a histogram of the time from Get to Done.
	NewWorkDurationMetric(name string) HistogramMetric
	// NewUnfinishedWorkSecondsMetric returns a gauge of the sum of the times
	// for which the items in progress have been processed.
	NewUnfinishedWorkSecondsMetric(name string) SettableGaugeMetric
	// NewLongestRunningProcessorSecondsMetric returns a gauge of the longest
	// time for which an item in progress has been processed.
	NewLongestRunningProcessorSecondsMetric(name string) SettableGaugeMetric
	// NewRetriesMetric returns a counter of the calls of AddAfter and
	// AddRateLimited.
	NewRetriesMetric(name string) CounterMetric
}

// provider is the only global variable of the package. The signature of
// SetProvider, which is client-go's, requires it.
var provider atomic.Pointer[MetricsProvider]

// SetProvider sets the provider for all queues that are created later and have
// none in their configuration. Only the first call with a provider that is not
// nil has an effect.
func SetProvider(metricsProvider MetricsProvider) {
	if metricsProvider != nil {
		provider.CompareAndSwap(nil, &metricsProvider)
	}
}

// providerFor returns nil if the queue has no name or there is no provider.
func providerFor(name string, configured MetricsProvider) MetricsProvider {
	if name == "" {
		return nil
	}
	if p := provider.Load(); configured == nil && p != nil {
		return *p
	}
	return configured
}

func newRetries(name string, configured MetricsProvider) CounterMetric {
	if p := providerFor(name, configured); p != nil {
		return p.NewRetriesMetric(name)
	}
	return nil
}
