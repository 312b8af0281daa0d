// A provider of metrics for reflectors.
package main

import "k8s.io/client-go/tools/cache"

type provider struct{}

type metric struct{}

func (metric) Inc()            {}
func (metric) Set(float64)     {}
func (metric) Observe(float64) {}

func (provider) NewListsMetric(string) cache.CounterMetric             { return metric{} }
func (provider) NewListDurationMetric(string) cache.SummaryMetric      { return metric{} }
func (provider) NewItemsInListMetric(string) cache.SummaryMetric       { return metric{} }
func (provider) NewWatchesMetric(string) cache.CounterMetric           { return metric{} }
func (provider) NewShortWatchesMetric(string) cache.CounterMetric      { return metric{} }
func (provider) NewWatchDurationMetric(string) cache.SummaryMetric     { return metric{} }
func (provider) NewItemsInWatchMetric(string) cache.SummaryMetric      { return metric{} }
func (provider) NewLastResourceVersionMetric(string) cache.GaugeMetric { return metric{} }

func main() { cache.SetReflectorMetricsProvider(provider{}) }
