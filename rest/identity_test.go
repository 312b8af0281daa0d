package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// Two views have the same identity exactly if they return the same objects.
func TestIdentitiesAreEqualForViewsOfTheSameObjects(t *testing.T) {
	client := idleClient(t)
	view := rest.NewView[*Backup](client, backups)
	otherVersion, otherKind := backups, backups
	otherVersion.Version, otherKind.Kind = "v2", ""
	for _, c := range []struct {
		name string
		view interface{ Identity() any }
		same bool
	}{
		{"an equal view", rest.NewView[*Backup](client, backups), true},
		{"all namespaces", view.Namespace("prod").Namespace(""), true},
		{"a Resource", rest.NewResource[*Backup](client, backups), true},
		{"a Resource with AllowFieldLoss", rest.NewResource[*Backup](client, backups).AllowFieldLoss(), true},
		{"explicit defaults", view.WithDecodeOptions(rest.DecodeOptions{MaxDepth: 512, MaxObjectBytes: 32 << 20}), true},
		{"another client", rest.NewView[*Backup](idleClient(t), backups), false},
		{"one namespace", view.Namespace("prod"), false},
		{"a Resource in one namespace", rest.NewResource[*Backup](client, backups).Namespace("prod"), false},
		{"other options", view.WithDecodeOptions(rest.DecodeOptions{KeepManagedFields: true}), false},
		{"another version", rest.NewView[*Backup](client, otherVersion), false},
		{"an unknown kind, which is not checked", rest.NewView[*Backup](client, otherKind), false},
		{"another Go type", rest.NewView[*metav1.PartialObjectMetadata](client, backups), false},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.same, view.Identity() == c.view.Identity()) })
	}
	require.Equal(t, "prod", rest.NewResource[*Backup](client, backups).Namespace("prod").ScopedNamespace())
	require.Empty(t, view.ScopedNamespace())
	require.NotEmpty(t, map[any]bool{view.Identity(): true}, "an identity is a valid map key")
}

// A view of a type that cannot be decoded into also has an identity. Its first request
// returns the error.
func TestIdentityOfAViewThatCannotDecode(t *testing.T) {
	client := idleClient(t)
	require.True(t, rest.NewView[rest.Object](client, backups).Identity() == rest.NewView[rest.Object](client, backups).Identity())
}

// Clients of one server have the same Host, in any spelling of their configs.
func TestHostIdentifiesTheServer(t *testing.T) {
	hostOf := func(config rest.Config) string {
		client, err := rest.New(&config)
		require.NoError(t, err)
		t.Cleanup(client.Close)
		return rest.NewView[*metav1.PartialObjectMetadata](client, rest.ResourceInfo{}).Host()
	}
	want := "https://example.com"
	for _, config := range []rest.Config{
		{Host: "https://example.com"}, {Host: "https://example.com/"}, {Host: "https://EXAMPLE.com:443"},
		{Host: "example.com", BearerToken: "x"}, {Host: "https://example.com", BearerToken: "y"},
	} {
		require.Equal(t, want, hostOf(config), config.Host)
	}
	for _, config := range []rest.Config{
		{Host: "http://example.com"}, {Host: "https://example.com:6443"}, {Host: "https://example.com/cluster"}, {Host: "https://example.org"},
	} {
		require.NotEqual(t, want, hostOf(config), config.Host)
	}
}
