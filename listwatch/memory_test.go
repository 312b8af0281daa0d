package listwatch_test

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

var podInfo = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:                 "Pod", Namespaced: true,
}

func podView(t *testing.T) *rest.View[*pod] {
	t.Helper()
	client, err := rest.New(&rest.Config{Host: "https://server:6443"})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return rest.NewView[*pod](client, podInfo)
}

// narrowed is view narrowed in each way that there is, and in two of them.
func narrowed(view *rest.View[*pod]) map[string]*listwatch.ListWatch[*pod] {
	web := labels.SelectorFromSet(labels.Set{"app": "web"})
	return map[string]*listwatch.ListWatch[*pod]{
		"modified":          listwatch.Modify(view, nil),
		"selected":          listwatch.Select(view, web, nil),
		"selecting nothing": listwatch.Select(view, labels.Nothing(), nil),
		"twice":             listwatch.Select(listwatch.Modify(view, nil), web, nil),
	}
}

// What a source says of itself survives narrowing.
func TestANarrowedSourceKnowsItsResource(t *testing.T) {
	for name, lw := range narrowed(podView(t)) {
		require.Equal(t, podInfo, lw.ResourceInfo(), name)
	}
	require.Zero(t, listwatch.Modify(&recorder{}, nil).ResourceInfo(), "the source beneath does not say")
	require.Zero(t, new(listwatch.ListWatch[int]).ResourceInfo(), "made by hand")
}

// What one has found out that shares a source, all know: the trouble is the
// server's.
func TestANarrowedSourceSharesTheMemoryOfTheOneBeneath(t *testing.T) {
	view := podView(t)
	for name, lw := range narrowed(view) {
		require.Empty(t, lw.WatchListTrouble(), name)
		lw.NoteWatchListTrouble("refused to " + name)
		require.Equal(t, "refused to "+name, view.WatchListTrouble())
		for other, lw := range narrowed(view) {
			require.Equal(t, "refused to "+name, lw.WatchListTrouble(), other)
		}
		lw.NoteWatchListTrouble("")
		require.Empty(t, view.WatchListTrouble(), name)
	}
}

// Where the source beneath cannot remember, or there is none, the ListWatch
// does.
func TestAListWatchRemembersForItself(t *testing.T) {
	source := &recorder{}
	for name, lw := range map[string]*listwatch.ListWatch[int]{
		"made by hand": {},
		"narrowed":     listwatch.Modify(source, nil),
	} {
		require.Empty(t, lw.WatchListTrouble(), name)
		lw.NoteWatchListTrouble("unknown option")
		require.Equal(t, "unknown option", lw.WatchListTrouble(), name)
		lw.NoteWatchListTrouble("because " + strings.Repeat("ü", 1<<20))
		require.Less(t, len(lw.WatchListTrouble()), 1000, name)
		require.True(t, utf8.ValidString(lw.WatchListTrouble()), name)
		lw.NoteWatchListTrouble("")
		require.Empty(t, lw.WatchListTrouble(), name)
	}
	require.Empty(t, listwatch.Modify(source, nil).WatchListTrouble(), "each for itself")
}

func TestTheMemoryIsForManyGoroutines(t *testing.T) {
	lw := &listwatch.ListWatch[int]{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			lw.NoteWatchListTrouble("no such thing")
			require.Equal(t, "no such thing", lw.WatchListTrouble())
		})
	}
	all.Wait()
}
