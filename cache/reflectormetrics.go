package cache

// CounterMetric is a number that only goes up.
type CounterMetric interface {
	Inc()
}

// SummaryMetric takes single observations.
type SummaryMetric interface {
	Observe(float64)
}

// MetricsProvider makes metrics of reflectors, which nobody asks for.
//
// Deprecated: client-go has not read it for years, and neither does this. What a
// reflector does is in reflector.Trace, what an informer does in informer.Trace,
// and informers with an Identifier have the metrics of an
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
