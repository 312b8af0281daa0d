package cache

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var pods, nodes = schema.GroupVersionResource{Version: "v1", Resource: "pods"}, schema.GroupVersionResource{Version: "v1", Resource: "nodes"}

// informerName reserves a name until the end of the test.
func informerName(t *testing.T, name string) *InformerName {
	t.Helper()
	n, err := NewInformerName(name)
	require.NoError(t, err)
	t.Cleanup(n.Release)
	return n
}

func TestInformerNameIsReservedOnce(t *testing.T) {
	first := informerName(t, "once")
	require.Equal(t, "once", first.Name())

	_, err := NewInformerName("once")
	require.ErrorContains(t, err, `"once"`)
	require.ErrorContains(t, err, "already reserved")
	_, err = NewInformerName("")
	require.ErrorContains(t, err, "empty")
	informerName(t, "another")

	first.Release()
	second := informerName(t, "once")
	first.Release()
	_, err = NewInformerName("once")
	require.Error(t, err, "a second Release must not release the new reservation")
	second.Release()
}

func TestResourceIsReservedOncePerName(t *testing.T) {
	n := informerName(t, "resources")
	first := n.WithResource(pods)
	require.True(t, first.Reserved())
	require.Equal(t, "resources", first.Name())
	require.Equal(t, pods, first.GroupVersionResource())

	again := n.WithResource(pods)
	require.False(t, again.Reserved(), "the second informer of a resource would update the series of the first")
	require.Equal(t, "resources", again.Name())
	require.True(t, n.WithResource(nodes).Reserved())
	require.True(t, informerName(t, "others").WithResource(pods).Reserved())
	require.True(t, first.Reserved())
}

func TestReleaseEndsReservations(t *testing.T) {
	n := informerName(t, "released")
	before := n.WithResource(pods)
	n.Release()
	require.False(t, before.Reserved())
	require.False(t, n.WithResource(pods).Reserved())
	require.Equal(t, "released", n.WithResource(pods).Name())

	next := informerName(t, "released")
	require.True(t, next.WithResource(pods).Reserved())
	require.False(t, before.Reserved(), "an identity stays released when its name is reserved again")
	require.False(t, n.WithResource(nodes).Reserved())
}

func TestNilInformerNameReservesNothing(t *testing.T) {
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

// If several goroutines reserve the same name at the same time, one of them
// succeeds.
func TestConcurrentReservationsOfOneName(t *testing.T) {
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
				require.Nil(t, winner, "two goroutines reserved the name")
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
