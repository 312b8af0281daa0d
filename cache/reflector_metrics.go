// The work is done by the Traces of package reflector and package informer.

package cache

// GaugeMetric is a value that is set.
type GaugeMetric interface {
	Set(float64)
}

// HistogramMetric records observations.
type HistogramMetric interface {
	Observe(float64)
}

// CounterMetric is a value that only increases.
type CounterMetric interface {
	Inc()
}

// SummaryMetric records observations.
type SummaryMetric interface {
	Observe(float64)
}

// MetricsProvider creates metrics of reflectors. It is never called.
//
// Deprecated: client-go has not used it for years, and neither does this
// package. Use reflector.Trace for a reflector and informer.Trace for an
// informer. Informers with an Identifier have the metrics of an
// InformerMetricsProvider.
type MetricsProvider interface {
	NewListsMetric(name string) CounterMetric
	NewListDurationMetric(name string) SummaryMetric
	NewItemsInListMetric(name string) SummaryMetric

	NewWatchesMetric(name string) CounterMetric
	NewShortWatchesMetric(name string) CounterMetric
	NewWatchDurationMetric(name string) SummaryMetric
	NewItemsInWatchMetric(name string) SummaryMetric

	NewLastResourceVersionMetric(name string) GaugeMetric
}

// SetReflectorMetricsProvider does nothing.
//
// Deprecated: it does nothing in client-go either. See MetricsProvider.
func SetReflectorMetricsProvider(metricsProvider MetricsProvider) {}
