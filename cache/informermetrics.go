package cache

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// GaugeMetric is a number that is set.
type GaugeMetric interface {
	Set(float64)
}

// HistogramMetric takes single observations.
type HistogramMetric interface {
	Observe(float64)
}

// InformerMetricsProvider makes the metrics of informers that have an identity:
// one in whose options an Identifier is set that is reserved. Of others nothing
// is measured. It is asked once for each when the informer is made; a metric that
// it returns as nil is not kept, and none is called for an identity that is
// released.
type InformerMetricsProvider interface {
	// NewQueuedItemMetric is how many changes wait to be processed.
	NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric
	// NewProcessingLatencyMetric observes how long it takes to process what was
	// popped, in seconds.
	NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric
	// NewStoreResourceVersionMetric is the version that the store has reached: its
	// last 15 digits, which a float64 has room for.
	NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric
}

// informerMetrics is of the process: SetInformerMetricsProvider, which
// client-go's users call, leaves no choice.
var informerMetrics atomic.Pointer[InformerMetricsProvider]

// SetInformerMetricsProvider sets who makes the metrics of informers that have
// none of their own in their options. Only the first call has an effect, and
// only on what is made after it.
func SetInformerMetricsProvider(metricsProvider InformerMetricsProvider) {
	informerMetrics.CompareAndSwap(nil, &metricsProvider)
}

// metricsProviderFor is who makes the metrics of an informer, or nil if it is to
// have none.
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

// queueMetrics tells how a queue fares. A nil one tells nobody.
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

// queued tells how many items are in the queue.
func (m *queueMetrics) queued(items int) {
	if m != nil && m.items != nil && m.id.Reserved() {
		m.items.Set(float64(items))
	}
}

// processed tells how long it took to process what was popped.
func (m *queueMetrics) processed(took time.Duration) {
	if m != nil && m.latency != nil && m.id.Reserved() {
		m.latency.Observe(took.Seconds())
	}
}

// storeMetrics tells how a store fares. A nil one tells nobody.
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

// reached tells which version the store has. One that is no number is not told.
func (m *storeMetrics) reached(resourceVersion string) {
	if m == nil || m.version == nil || !m.id.Reserved() {
		return
	}
	const digits = 15 // a float64 tells all numbers of so many apart
	if cut := len(resourceVersion) - digits; cut > 0 {
		resourceVersion = resourceVersion[cut:]
	}
	if figure, err := strconv.ParseUint(resourceVersion, 10, 64); err == nil {
		m.version.Set(float64(figure))
	}
}

// metricsTrace tells the metrics of an informer what it does; nil where there are
// none.
func metricsTrace(queue *queueMetrics, store *storeMetrics) *informer.Trace {
	if queue == nil && store == nil {
		return nil
	}
	return &informer.Trace{Applied: func(batch informer.BatchInfo) {
		queue.queued(batch.Queued)
		queue.processed(batch.Took)
		store.reached(batch.Version)
	}}
}
