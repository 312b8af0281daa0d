package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// Two views are the same exactly if they show the same.
func TestIdentity(t *testing.T) {
	client := idleClient(t)
	view := rest.NewView[*Backup](client, backups)
	otherVersion, otherKind := backups, backups
	otherVersion.Version, otherKind.Kind = "v2", ""
	for _, c := range []struct {
		name string
		view interface{ Identity() any }
		same bool
	}{
		{"a view made alike", rest.NewView[*Backup](client, backups), true},
		{"all namespaces", view.Namespace("prod").Namespace(""), true},
		{"a Resource", rest.NewResource[*Backup](client, backups), true},
		{"a Resource that may lose fields", rest.NewResource[*Backup](client, backups).AllowFieldLoss(), true},
		{"the defaults written out", view.Decoding(rest.DecodeOptions{MaxDepth: 512, MaxObjectBytes: 32 << 20}), true},
		{"another client", rest.NewView[*Backup](idleClient(t), backups), false},
		{"one namespace", view.Namespace("prod"), false},
		{"a Resource in one namespace", rest.NewResource[*Backup](client, backups).Namespace("prod"), false},
		{"other options", view.Decoding(rest.DecodeOptions{KeepManagedFields: true}), false},
		{"another version", rest.NewView[*Backup](client, otherVersion), false},
		{"a kind that is not known, and so not looked at", rest.NewView[*Backup](client, otherKind), false},
		{"another Go type", rest.NewView[*metav1.PartialObjectMetadata](client, backups), false},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.same, view.Identity() == c.view.Identity()) })
	}
	require.Equal(t, "prod", rest.NewResource[*Backup](client, backups).Namespace("prod").InNamespace())
	require.Empty(t, view.InNamespace())
	require.NotEmpty(t, map[any]bool{view.Identity(): true}, "it is the key of a map")
}

// A T that cannot be decoded into has an identity as well: its error comes with
// the first call, and not here.
func TestIdentityOfAViewThatCannotDecode(t *testing.T) {
	client := idleClient(t)
	require.True(t, rest.NewView[rest.Object](client, backups).Identity() == rest.NewView[rest.Object](client, backups).Identity())
}
