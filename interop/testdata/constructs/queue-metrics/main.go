// A provider of metrics for all queues.
package main

import "k8s.io/client-go/util/workqueue"

type provider struct{}

type gauge struct{}

func (gauge) Inc()            {}
func (gauge) Dec()            {}
func (gauge) Set(float64)     {}
func (gauge) Observe(float64) {}

func (provider) NewDepthMetric(string) workqueue.GaugeMetric                         { return gauge{} }
func (provider) NewAddsMetric(string) workqueue.CounterMetric                        { return gauge{} }
func (provider) NewLatencyMetric(string) workqueue.HistogramMetric                   { return gauge{} }
func (provider) NewWorkDurationMetric(string) workqueue.HistogramMetric              { return gauge{} }
func (provider) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric { return gauge{} }
func (provider) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return gauge{}
}
func (provider) NewRetriesMetric(string) workqueue.CounterMetric { return gauge{} }

func main() {
	workqueue.SetProvider(provider{})
	workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Name: "items", MetricsProvider: provider{}}).ShutDown()
}
