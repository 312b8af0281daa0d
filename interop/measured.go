package interop

import (
	"context"
	"fmt"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// measured is an informer whose metrics are those of a provider written for client-go. It
// needs an identity of package cache while it runs.
type measured struct {
	informed
	name *cache.InformerName
}

// Run implements [clientcache.SharedInformer].
func (m measured) Run(stop <-chan struct{}) {
	defer m.name.Release()
	m.informed.Run(stop)
}

// RunWithContext implements [clientcache.SharedInformer].
func (m measured) RunWithContext(ctx context.Context) {
	defer m.name.Release()
	m.informed.RunWithContext(ctx)
}

// metrics is a provider of package cache that asks a provider written for client-go, and
// passes client-go's identity to it.
type metrics struct {
	id       clientcache.InformerNameAndResource
	provider clientcache.InformerMetricsProvider
}

// reserve returns a name of package cache, for metrics, which has no other user. Programs
// do not see it.
func (m *metrics) reserve() (*cache.InformerName, error) {
	return cache.NewInformerName(fmt.Sprintf("client-go's %q of %s at %p", m.id.Name(), m.id.GroupVersionResource(), m))
}

// NewQueuedItemMetric implements [cache.InformerMetricsProvider].
func (m *metrics) NewQueuedItemMetric(cache.InformerNameAndResource) cache.GaugeMetric {
	return gaugeOf(m, m.provider.NewQueuedItemMetric(m.id))
}

// NewProcessingLatencyMetric implements [cache.InformerMetricsProvider].
func (m *metrics) NewProcessingLatencyMetric(cache.InformerNameAndResource) cache.HistogramMetric {
	histogram := m.provider.NewProcessingLatencyMetric(m.id)
	if histogram == nil {
		return nil
	}
	return reservedHistogram{histogram, m}
}

// NewStoreResourceVersionMetric implements [cache.InformerMetricsProvider].
func (m *metrics) NewStoreResourceVersionMetric(cache.InformerNameAndResource) cache.GaugeMetric {
	return gaugeOf(m, m.provider.NewStoreResourceVersionMetric(m.id))
}

func gaugeOf(m *metrics, gauge clientcache.GaugeMetric) cache.GaugeMetric {
	if gauge == nil {
		return nil
	}
	return reservedGauge{gauge, m}
}

// reservedGauge is a gauge that is not set when client-go's identity has been released: its
// series may belong to another informer then.
type reservedGauge struct {
	clientcache.GaugeMetric
	of *metrics
}

// Set implements [cache.GaugeMetric].
func (g reservedGauge) Set(value float64) {
	if g.of.id.Reserved() {
		g.GaugeMetric.Set(value)
	}
}

// reservedHistogram is a histogram with the same rule.
type reservedHistogram struct {
	clientcache.HistogramMetric
	of *metrics
}

// Observe implements [cache.HistogramMetric].
func (h reservedHistogram) Observe(value float64) {
	if h.of.id.Reserved() {
		h.HistogramMetric.Observe(value)
	}
}
