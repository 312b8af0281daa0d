package interop

import (
	"context"
	"crypto/rand"
	"runtime"
	"sync/atomic"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// measured is an informer whose metrics are those of a provider written for client-go. It
// needs an identity of package cache until it has run, or is garbage.
type measured struct {
	informed
	name *cache.InformerName
	runs atomic.Int32 // calls of Run that have not returned
}

func newMeasured(inner informed, name *cache.InformerName) *measured {
	m := &measured{informed: inner, name: name}
	runtime.AddCleanup(m, (*cache.InformerName).Release, name)
	return m
}

// Run implements [clientcache.SharedInformer].
func (m *measured) Run(stop <-chan struct{}) {
	m.runs.Add(1)
	defer m.ended()
	m.informed.Run(stop)
}

// RunWithContext implements [clientcache.SharedInformer].
func (m *measured) RunWithContext(ctx context.Context) {
	m.runs.Add(1)
	defer m.ended()
	m.informed.RunWithContext(ctx)
}

// ended releases the name, unless this was a second Run, which returns at once while the
// first one continues.
func (m *measured) ended() {
	if m.runs.Add(-1) == 0 {
		m.name.Release()
	}
}

// metrics is a provider of package cache that asks a provider written for client-go, and
// passes client-go's identity to it.
type metrics struct {
	id       clientcache.InformerNameAndResource
	provider clientcache.InformerMetricsProvider
}

// reserveName returns a name of package cache, for metrics, which has no other user.
// Programs do not see it.
func reserveName() (*cache.InformerName, error) {
	return cache.NewInformerName("an informer of client-go's options " + rand.Text())
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
