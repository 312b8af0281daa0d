package cache

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"
)

// provideMetrics sets the provider of the process until the test ends.
func provideMetrics(t *testing.T, provider InformerMetricsProvider) {
	t.Helper()
	require.Nil(t, informerMetrics.Load(), "another test has set a provider")
	t.Cleanup(func() { informerMetrics.Store(nil) })
	SetInformerMetricsProvider(provider)
}

func TestReservedIdentityHasMetrics(t *testing.T) {
	provider := new(metricsRecorder)
	id := informerName(t, "measured").WithResource(pods)
	queue, store := newQueueMetrics(id, provider), newStoreMetrics(id, provider)

	queue.setQueued(3)
	queue.observeLatency(1500 * time.Millisecond)
	store.setVersion("17")
	require.Equal(t, []string{"measured queued 3", "measured latency 1.5", "measured version 17"}, provider.values())
}

func TestNoIdentityHasNoMetrics(t *testing.T) {
	provider := new(metricsRecorder)
	provideMetrics(t, provider)
	first := informerName(t, "first")
	first.WithResource(pods)
	for name, id := range map[string]InformerNameAndResource{
		"none":            {},
		"nil name":        (*InformerName)(nil).WithResource(pods),
		"second identity": first.WithResource(pods),
		"released name":   func() InformerNameAndResource { n := informerName(t, "gone"); n.Release(); return n.WithResource(pods) }(),
	} {
		t.Run(name, func(t *testing.T) {
			require.Nil(t, newQueueMetrics(id, provider))
			require.Nil(t, newStoreMetrics(id, nil))
		})
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		(*queueMetrics)(nil).setQueued(1)
		(*queueMetrics)(nil).observeLatency(time.Second)
		(*storeMetrics)(nil).setVersion("1")
	}))
}

func TestReleasedIdentityHasNoMetrics(t *testing.T) {
	provider := new(metricsRecorder)
	n := informerName(t, "shortlived")
	id := n.WithResource(pods)
	queue, store := newQueueMetrics(id, provider), newStoreMetrics(id, provider)
	n.Release()
	queue.setQueued(3)
	queue.observeLatency(time.Second)
	store.setVersion("17")
	require.Empty(t, provider.values())
}

func TestFirstMetricsProviderWins(t *testing.T) {
	first, second, own := new(metricsRecorder), new(metricsRecorder), new(metricsRecorder)
	id := informerName(t, "provided").WithResource(pods)
	require.Nil(t, newStoreMetrics(id, nil), "without a provider")

	provideMetrics(t, first)
	SetInformerMetricsProvider(second)
	newStoreMetrics(id, nil).setVersion("1")
	newStoreMetrics(id, own).setVersion("2")
	require.Equal(t, []string{"provided version 1"}, first.values())
	require.Empty(t, second.values())
	require.Equal(t, []string{"provided version 2"}, own.values())
}

func TestProviderMayReturnNilMetrics(t *testing.T) {
	id := informerName(t, "partly").WithResource(pods)
	provider := &metricsRecorder{without: "queued latency version"}
	queue, store := newQueueMetrics(id, provider), newStoreMetrics(id, provider)
	queue.setQueued(1)
	queue.observeLatency(time.Second)
	store.setVersion("1")
	require.Empty(t, provider.values())

	provideMetrics(t, nil)
	require.Nil(t, newQueueMetrics(id, nil), "with a nil provider")
}

// A float64 represents integers up to 2^53 exactly, so the metric has the last
// 15 digits.
func TestStoreVersionMetric(t *testing.T) {
	provider := new(metricsRecorder)
	store := newStoreMetrics(informerName(t, "store").WithResource(pods), provider)
	for version, values := range map[string][]string{
		"":                      nil,
		"0":                     {"store version 0"},
		"999999999999999":       {"store version 999999999999999"},
		"1234567890123456":      {"store version 234567890123456"},
		"98765432109876543210":  {"store version 432109876543210"},
		"v17":                   nil,
		"-3":                    nil,
		"17 ":                   nil,
		"zeroes000000000000001": {"store version 1"},
	} {
		store.setVersion(version)
		require.Equal(t, values, provider.values(), version)
	}
}

// An informer with an identity reports the length of its queue, the duration
// of a batch, and the version of its store.
func TestInformerMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider := new(metricsRecorder)
		source := newFakeSource("1", "a@1")
		i := NewSharedIndexInformerWithOptions(source, nil, SharedIndexInformerOptions{
			Identifier: informerName(t, "shop").WithResource(pods), InformerMetricsProvider: provider,
		})
		defer run(t, i)()
		source.send(watch.Added, newObject("b@2"))
		lines := provider.values()
		require.Contains(t, lines, "shop version 2")
		require.Contains(t, lines, "shop queued 0")
		require.Contains(t, strings.Join(lines, "\n"), "shop latency ")
		bookmark := newObject("x@9")
		source.send(watch.Bookmark, bookmark)
		require.Contains(t, provider.values(), "shop version 9")
	})
}

// metricsRecorder is an InformerMetricsProvider that records each value as a
// line.
type metricsRecorder struct {
	mu    sync.Mutex
	lines []string
	// without names the metrics that it does not create.
	without string
}

type recordedMetric struct {
	of   *metricsRecorder
	name string
}

func (m recordedMetric) Set(value float64) { m.of.record(m.name, value) }

func (m recordedMetric) Observe(value float64) { m.of.record(m.name, value) }

func (r *metricsRecorder) record(name string, value float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, name+" "+strconv.FormatFloat(value, 'f', -1, 64))
}

// values returns the recorded lines and removes them.
func (r *metricsRecorder) values() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

func (r *metricsRecorder) NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric {
	if strings.Contains(r.without, "queued") {
		return nil
	}
	return recordedMetric{r, id.Name() + " queued"}
}

func (r *metricsRecorder) NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric {
	if strings.Contains(r.without, "latency") {
		return nil
	}
	return recordedMetric{r, id.Name() + " latency"}
}

func (r *metricsRecorder) NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric {
	if strings.Contains(r.without, "version") {
		return nil
	}
	return recordedMetric{r, id.Name() + " version"}
}
