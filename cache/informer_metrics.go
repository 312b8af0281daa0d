// The work is done by package informer, whose Trace reports what the metrics show.

package cache

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// InformerMetricsProvider creates the metrics of informers whose options have a
// reserved Identifier. Other informers have no metrics. Each method is called
// once when the informer is created and may return nil to omit the metric.
// Metrics of a released identity are not called.
type InformerMetricsProvider interface {
	// NewQueuedItemMetric returns the metric of the number of queued changes.
	NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric
	// NewProcessingLatencyMetric returns the metric of the time to process a
	// popped item, in seconds.
	NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric
	// NewStoreResourceVersionMetric returns the metric of the version that the
	// store has reached: its last 15 digits, which fit into a float64.
	NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric
}

// informerMetrics is global because SetInformerMetricsProvider, whose signature
// is client-go's, requires it.
var informerMetrics atomic.Pointer[InformerMetricsProvider]

// SetInformerMetricsProvider sets the default provider of informers that are
// created later. Only the first call has an effect.
func SetInformerMetricsProvider(metricsProvider InformerMetricsProvider) {
	informerMetrics.CompareAndSwap(nil, &metricsProvider)
}

// metricsProviderFor returns the provider for an informer, or nil if it has no
// metrics.
func metricsProviderFor(id InformerNameAndResource, own InformerMetricsProvider) InformerMetricsProvider {
	if !id.Reserved() {
		return nil
	}
	if own != nil {
		return own
	}
	if set := informerMetrics.Load(); set != nil {
		return *set
	}
	return nil
}

// queueMetrics are the metrics of a queue. The methods of a nil *queueMetrics
// do nothing.
type queueMetrics struct {
	id      InformerNameAndResource
	items   GaugeMetric
	latency HistogramMetric
}

func newQueueMetrics(id InformerNameAndResource, own InformerMetricsProvider) *queueMetrics {
	provider := metricsProviderFor(id, own)
	if provider == nil {
		return nil
	}
	return &queueMetrics{id: id, items: provider.NewQueuedItemMetric(id), latency: provider.NewProcessingLatencyMetric(id)}
}

// setQueued sets the number of queued items.
func (m *queueMetrics) setQueued(items int) {
	if m != nil && m.items != nil && m.id.Reserved() {
		m.items.Set(float64(items))
	}
}

// observeLatency records the time to process a popped item.
func (m *queueMetrics) observeLatency(took time.Duration) {
	if m != nil && m.latency != nil && m.id.Reserved() {
		m.latency.Observe(took.Seconds())
	}
}

// storeMetrics are the metrics of a store. The methods of a nil *storeMetrics
// do nothing.
type storeMetrics struct {
	id      InformerNameAndResource
	version GaugeMetric
}

func newStoreMetrics(id InformerNameAndResource, own InformerMetricsProvider) *storeMetrics {
	provider := metricsProviderFor(id, own)
	if provider == nil {
		return nil
	}
	return &storeMetrics{id: id, version: provider.NewStoreResourceVersionMetric(id)}
}

// setVersion sets the version of the store. A version that is not a number is
// ignored.
func (m *storeMetrics) setVersion(resourceVersion string) {
	if m == nil || m.version == nil || !m.id.Reserved() {
		return
	}
	const digits = 15 // a float64 represents all integers of this length exactly
	if cut := len(resourceVersion) - digits; cut > 0 {
		resourceVersion = resourceVersion[cut:]
	}
	if figure, err := strconv.ParseUint(resourceVersion, 10, 64); err == nil {
		m.version.Set(float64(figure))
	}
}

// metricsTrace returns a trace that updates the metrics of an informer, or nil
// if there are none.
func metricsTrace(queue *queueMetrics, store *storeMetrics) *informer.Trace {
	if queue == nil && store == nil {
		return nil
	}
	return &informer.Trace{Applied: func(batch informer.BatchInfo) {
		queue.setQueued(batch.Queued)
		queue.observeLatency(batch.Duration)
		store.setVersion(batch.Version)
	}}
}
