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

// wrapped returns view in each wrapper, and in two of them.
func wrapped(view *rest.View[*pod]) map[string]*listwatch.ListWatch[*pod] {
	web := labels.SelectorFromSet(labels.Set{"app": "web"})
	return map[string]*listwatch.ListWatch[*pod]{
		"modified":              listwatch.Modify(view, nil),
		"selected":              listwatch.Select(view, web, nil),
		"selector of nothing":   listwatch.Select(view, labels.Nothing(), nil),
		"modified and selected": listwatch.Select(listwatch.Modify(view, nil), web, nil),
	}
}

// A wrapper has the ResourceInfo of its source.
func TestWrapperHasTheResourceInfoOfItsSource(t *testing.T) {
	for name, lw := range wrapped(podView(t)) {
		require.Equal(t, podInfo, lw.ResourceInfo(), name)
	}
	require.Zero(t, listwatch.Modify(&recorder{}, nil).ResourceInfo(), "the wrapped source has no ResourceInfo")
	require.Zero(t, new(listwatch.ListWatch[int]).ResourceInfo(), "a ListWatch of functions")
}

// All wrappers of a source share the recorded reason, because it depends only on the
// server.
func TestWrappersShareTheRecorderOfTheirSource(t *testing.T) {
	view := podView(t)
	for name, lw := range wrapped(view) {
		require.Empty(t, lw.WatchListUnsupported(), name)
		lw.SetWatchListUnsupported("refused to " + name)
		require.Equal(t, "refused to "+name, view.WatchListUnsupported())
		for other, lw := range wrapped(view) {
			require.Equal(t, "refused to "+name, lw.WatchListUnsupported(), other)
		}
		lw.SetWatchListUnsupported("")
		require.Empty(t, view.WatchListUnsupported(), name)
	}
}

// A ListWatch records the reason itself if it wraps no source, or a source that
// cannot record it.
func TestListWatchHasItsOwnRecorder(t *testing.T) {
	source := &recorder{}
	for name, lw := range map[string]*listwatch.ListWatch[int]{
		"functions": {},
		"modified":  listwatch.Modify(source, nil),
	} {
		require.Empty(t, lw.WatchListUnsupported(), name)
		lw.SetWatchListUnsupported("unknown option")
		require.Equal(t, "unknown option", lw.WatchListUnsupported(), name)
		lw.SetWatchListUnsupported("because " + strings.Repeat("ü", 1<<20))
		require.Less(t, len(lw.WatchListUnsupported()), 1000, name)
		require.True(t, utf8.ValidString(lw.WatchListUnsupported()), name)
		lw.SetWatchListUnsupported("")
		require.Empty(t, lw.WatchListUnsupported(), name)
	}
	require.Empty(t, listwatch.Modify(source, nil).WatchListUnsupported(), "another wrapper does not share the reason")
}

func TestRecorderMayBeUsedConcurrently(t *testing.T) {
	lw := &listwatch.ListWatch[int]{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			lw.SetWatchListUnsupported("no such thing")
			require.Equal(t, "no such thing", lw.WatchListUnsupported())
		})
	}
	all.Wait()
}
