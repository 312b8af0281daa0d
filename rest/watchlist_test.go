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

// What one view has found out about a resource, every view of that resource on
// that client knows, and no other.
func TestWatchListTroubleIsRememberedPerResourceOfAClient(t *testing.T) {
	client := idleClient(t)
	view := rest.NewView[*Backup](client, backups)
	require.Empty(t, view.WatchListTrouble(), "nothing has been noted")
	view.Namespace("prod").NoteWatchListTrouble("sendInitialEvents is forbidden")

	otherVersion, otherResource := backups, backups
	otherVersion.Version, otherResource.Resource = "v2", "restores"
	unnamed := backups
	unnamed.Kind, unnamed.Namespaced = "", false
	const known = "sendInitialEvents is forbidden"
	for _, c := range []struct {
		name string
		view interface{ WatchListTrouble() string }
		want string
	}{
		{"the view beside it", view, known},
		{"a later view", rest.NewView[*Backup](client, backups), known},
		{"another namespace", view.Namespace("test"), known},
		{"other options", view.Decoding(rest.DecodeOptions{KeepManagedFields: true}), known},
		{"another Go type", rest.NewView[*metav1.PartialObjectMetadata](client, backups), known},
		{"what else is known of the resource", rest.NewView[*Backup](client, unnamed), known},
		{"a Resource", rest.NewResource[*Backup](client, backups), known},
		{"another version", rest.NewView[*Backup](client, otherVersion), ""},
		{"another resource", rest.NewView[*Backup](client, otherResource), ""},
		{"another client", rest.NewView[*Backup](idleClient(t), backups), ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.view.WatchListTrouble()) })
	}

	view.NoteWatchListTrouble("")
	require.Empty(t, view.Namespace("prod").WatchListTrouble(), "the trouble is over")
}

func TestAReasonIsBounded(t *testing.T) {
	view := rest.NewView[*Backup](idleClient(t), backups)
	view.NoteWatchListTrouble("because " + strings.Repeat("ü", 1<<20))
	reason := view.WatchListTrouble()
	require.True(t, strings.HasPrefix(reason, "because ü"))
	require.Less(t, len(reason), 1000)
	require.True(t, utf8.ValidString(reason))
}

func TestWatchListTroubleIsForManyGoroutines(t *testing.T) {
	client := idleClient(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			view := rest.NewView[*Backup](client, backups)
			view.NoteWatchListTrouble("no such thing")
			require.Equal(t, "no such thing", view.WatchListTrouble())
		})
	}
	all.Wait()
}
