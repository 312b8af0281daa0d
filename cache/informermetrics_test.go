package cache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// provideMetrics makes provider that of the process until the test ends.
func provideMetrics(t *testing.T, provider InformerMetricsProvider) {
	t.Helper()
	require.Nil(t, informerMetrics.Load(), "another test provides metrics")
	t.Cleanup(func() { informerMetrics.Store(nil) })
	SetInformerMetricsProvider(provider)
}

func TestWhatHasAnIdentityIsMeasured(t *testing.T) {
	provider := new(figures)
	id := informerName(t, "measured").WithResource(pods)
	queue, store := newQueueMetrics(id, provider), newStoreMetrics(id, provider)

	queue.queued(3)
	queue.processed(1500 * time.Millisecond)
	store.reached("17")
	require.Equal(t, []string{"measured queued 3", "measured latency 1.5", "measured version 17"}, provider.told())
}

func TestWhatHasNoneIsNotMeasured(t *testing.T) {
	provider := new(figures)
	provideMetrics(t, provider)
	first := informerName(t, "first")
	first.WithResource(pods)
	for name, id := range map[string]InformerNameAndResource{
		"none":          {},
		"without name":  (*InformerName)(nil).WithResource(pods),
		"a second one":  first.WithResource(pods),
		"released name": func() InformerNameAndResource { n := informerName(t, "gone"); n.Release(); return n.WithResource(pods) }(),
	} {
		t.Run(name, func(t *testing.T) {
			require.Nil(t, newQueueMetrics(id, provider))
			require.Nil(t, newStoreMetrics(id, nil))
		})
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		(*queueMetrics)(nil).queued(1)
		(*queueMetrics)(nil).processed(time.Second)
		(*storeMetrics)(nil).reached("1")
	}))
}

func TestNothingIsToldOfAReleasedIdentity(t *testing.T) {
	provider := new(figures)
	n := informerName(t, "shortlived")
	id := n.WithResource(pods)
	queue, store := newQueueMetrics(id, provider), newStoreMetrics(id, provider)
	n.Release()
	queue.queued(3)
	queue.processed(time.Second)
	store.reached("17")
	require.Empty(t, provider.told())
}

func TestTheFirstProviderOfTheProcessStays(t *testing.T) {
	first, second, own := new(figures), new(figures), new(figures)
	id := informerName(t, "provided").WithResource(pods)
	require.Nil(t, newStoreMetrics(id, nil), "nobody provides metrics yet")

	provideMetrics(t, first)
	SetInformerMetricsProvider(second)
	newStoreMetrics(id, nil).reached("1")
	newStoreMetrics(id, own).reached("2")
	require.Equal(t, []string{"provided version 1"}, first.told())
	require.Empty(t, second.told())
	require.Equal(t, []string{"provided version 2"}, own.told())
}

func TestAProviderMayLeaveMetricsOut(t *testing.T) {
	id := informerName(t, "partly").WithResource(pods)
	provider := &figures{without: "queued latency version"}
	queue, store := newQueueMetrics(id, provider), newStoreMetrics(id, provider)
	queue.queued(1)
	queue.processed(time.Second)
	store.reached("1")
	require.Empty(t, provider.told())

	provideMetrics(t, nil)
	require.Nil(t, newQueueMetrics(id, nil), "a provider of the process that is nil is none")
}

// A float64 tells whole numbers apart up to 2^53: the last 15 digits are told.
func TestTheVersionOfAStoreIsToldAsANumber(t *testing.T) {
	provider := new(figures)
	store := newStoreMetrics(informerName(t, "store").WithResource(pods), provider)
	for version, told := range map[string][]string{
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
		store.reached(version)
		require.Equal(t, told, provider.told(), version)
	}
}
