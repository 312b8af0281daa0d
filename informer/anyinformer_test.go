package informer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Informers of equal requests to a factory are the same, and others are not.
func TestEqualRequestsReturnTheSameInformer(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://127.0.0.1:1"})
	require.NoError(t, err)
	defer client.Close()
	f := informer.NewFactory(informer.FactoryOptions{})
	view := rest.NewView[*rest.SlimMeta](client, rest.ResourceInfo{})
	one := informer.For(f, view, informer.Options[*rest.SlimMeta]{})
	again := informer.For(f, view, informer.Options[*rest.SlimMeta]{})
	other := informer.For(f, view.Namespace("shop"), informer.Options[*rest.SlimMeta]{})
	single := informer.New(view, informer.Options[*rest.SlimMeta]{})
	require.True(t, informer.SameInformer(one, again))
	require.True(t, informer.SameInformer(one, f.Informers()[0]))
	require.True(t, informer.SameInformer(single, single))
	require.False(t, informer.SameInformer(one, other))
	require.False(t, informer.SameInformer(one, single))
	require.False(t, informer.SameInformer(one, nil))
	require.True(t, informer.SameInformer(nil, nil))
}
