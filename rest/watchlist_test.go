package rest_test

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

func idleClient(t *testing.T) *rest.Client {
	t.Helper()
	client, err := rest.New(&rest.Config{Host: "https://server:6443"})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// A watch list failure of one view is known to every view of that resource on the same
// client, and to no other.
func TestWatchListFailuresAreRecordedPerResourceOfAClient(t *testing.T) {
	client := idleClient(t)
	view := rest.NewView[*Backup](client, backups)
	require.Empty(t, view.WatchListUnsupported(), "nothing is recorded")
	view.Namespace("prod").SetWatchListUnsupported("sendInitialEvents is forbidden")

	otherVersion, otherResource := backups, backups
	otherVersion.Version, otherResource.Resource = "v2", "restores"
	unnamed := backups
	unnamed.Kind, unnamed.Namespaced = "", false
	const known = "sendInitialEvents is forbidden"
	for _, c := range []struct {
		name string
		view interface{ WatchListUnsupported() string }
		want string
	}{
		{"another equal view", view, known},
		{"a later view", rest.NewView[*Backup](client, backups), known},
		{"another namespace", view.Namespace("test"), known},
		{"other options", view.WithDecodeOptions(rest.DecodeOptions{KeepManagedFields: true}), known},
		{"another Go type", rest.NewView[*metav1.PartialObjectMetadata](client, backups), known},
		{"another kind and scope of the resource", rest.NewView[*Backup](client, unnamed), known},
		{"a Resource", rest.NewResource[*Backup](client, backups), known},
		{"another version", rest.NewView[*Backup](client, otherVersion), ""},
		{"another resource", rest.NewView[*Backup](client, otherResource), ""},
		{"another client", rest.NewView[*Backup](idleClient(t), backups), ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.view.WatchListUnsupported()) })
	}

	view.SetWatchListUnsupported("")
	require.Empty(t, view.Namespace("prod").WatchListUnsupported(), "the failure was cleared")
}

func TestAReasonIsBounded(t *testing.T) {
	view := rest.NewView[*Backup](idleClient(t), backups)
	view.SetWatchListUnsupported("because " + strings.Repeat("ü", 1<<20))
	reason := view.WatchListUnsupported()
	require.True(t, strings.HasPrefix(reason, "because ü"))
	require.Less(t, len(reason), 1000)
	require.True(t, utf8.ValidString(reason))
}

func TestWatchListFailuresAreSafeForConcurrentUse(t *testing.T) {
	client := idleClient(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			view := rest.NewView[*Backup](client, backups)
			view.SetWatchListUnsupported("no such resource")
			require.Equal(t, "no such resource", view.WatchListUnsupported())
		})
	}
	all.Wait()
}
