package cache

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var pods, nodes = schema.GroupVersionResource{Version: "v1", Resource: "pods"}, schema.GroupVersionResource{Version: "v1", Resource: "nodes"}

// informerName is a name that is released at the end.
func informerName(t *testing.T, name string) *InformerName {
	t.Helper()
	n, err := NewInformerName(name)
	require.NoError(t, err)
	t.Cleanup(n.Release)
	return n
}

func TestAnInformerNameIsTakenOnce(t *testing.T) {
	first := informerName(t, "once")
	require.Equal(t, "once", first.Name())

	_, err := NewInformerName("once")
	require.ErrorContains(t, err, `"once"`)
	require.ErrorContains(t, err, "taken")
	_, err = NewInformerName("")
	require.ErrorContains(t, err, "empty")
	informerName(t, "another")

	first.Release()
	second := informerName(t, "once")
	first.Release()
	_, err = NewInformerName("once")
	require.Error(t, err, "a second Release does not release whoever has the name now")
	second.Release()
}

func TestAResourceIsReservedOnceUnderAName(t *testing.T) {
	n := informerName(t, "resources")
	first := n.WithResource(pods)
	require.True(t, first.Reserved())
	require.Equal(t, "resources", first.Name())
	require.Equal(t, pods, first.GroupVersionResource())

	again := n.WithResource(pods)
	require.False(t, again.Reserved(), "the second informer of pods would write into the first one's series")
	require.Equal(t, "resources", again.Name())
	require.True(t, n.WithResource(nodes).Reserved())
	require.True(t, informerName(t, "others").WithResource(pods).Reserved())
	require.True(t, first.Reserved())
}

func TestNothingOfAReleasedNameIsReserved(t *testing.T) {
	n := informerName(t, "released")
	before := n.WithResource(pods)
	n.Release()
	require.False(t, before.Reserved())
	require.False(t, n.WithResource(pods).Reserved())
	require.Equal(t, "released", n.WithResource(pods).Name())

	next := informerName(t, "released")
	require.True(t, next.WithResource(pods).Reserved())
	require.False(t, before.Reserved(), "an identity stays released when its name is taken anew")
	require.False(t, n.WithResource(nodes).Reserved())
}

func TestWithoutANameNothingIsReserved(t *testing.T) {
	var none *InformerName
	none.Release()
	require.Empty(t, none.Name())
	id := none.WithResource(pods)
	require.False(t, id.Reserved())
	require.Empty(t, id.Name())
	require.Equal(t, pods, id.GroupVersionResource())
	require.False(t, InformerNameAndResource{}.Reserved())

	var zero InformerName
	zero.Release()
	require.False(t, zero.WithResource(pods).Reserved())
}

func TestResetReleasesEveryName(t *testing.T) {
	a, b := informerName(t, "a").WithResource(pods), informerName(t, "b").WithResource(nodes)
	ResetInformerNamesForTesting()
	require.False(t, a.Reserved())
	require.False(t, b.Reserved())
	informerName(t, "a")
	informerName(t, "b")
}

// Names are reserved and released by many at once: of those who want the same at
// the same time, one gets it.
func TestOneOfManyGetsTheName(t *testing.T) {
	for round := range 5 {
		name := "wanted" + strconv.Itoa(round)
		got, reserved := make([]*InformerName, 8), make([]InformerNameAndResource, 8)
		var wanting sync.WaitGroup
		for i := range got {
			wanting.Go(func() { got[i], _ = NewInformerName(name) })
		}
		wanting.Wait()
		var winner *InformerName
		for _, n := range got {
			if n != nil {
				require.Nil(t, winner, "two got the name")
				winner = n
			}
		}
		require.NotNil(t, winner)
		t.Cleanup(winner.Release)
		for i := range reserved {
			wanting.Go(func() { reserved[i] = winner.WithResource(pods) })
		}
		wanting.Wait()
		winners := 0
		for _, id := range reserved {
			if id.Reserved() {
				winners++
			}
		}
		require.Equal(t, 1, winners)
	}
}

// figures is a provider that keeps what it is told, as a line each.
type figures struct {
	mu    sync.Mutex
	lines []string
	// without has the metrics that it does not make.
	without string
}

type figure struct {
	of   *figures
	name string
}

func (f figure) Set(value float64)     { f.of.note(f.name, value) }
func (f figure) Observe(value float64) { f.of.note(f.name, value) }

func (f *figures) note(name string, value float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, name+" "+strconv.FormatFloat(value, 'f', -1, 64))
}

// told is what has been told since it was asked last.
func (f *figures) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines := f.lines
	f.lines = nil
	return lines
}

func (f *figures) NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric {
	if strings.Contains(f.without, "queued") {
		return nil
	}
	return figure{f, id.Name() + " queued"}
}

func (f *figures) NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric {
	if strings.Contains(f.without, "latency") {
		return nil
	}
	return figure{f, id.Name() + " latency"}
}

func (f *figures) NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric {
	if strings.Contains(f.without, "version") {
		return nil
	}
	return figure{f, id.Name() + " version"}
}
