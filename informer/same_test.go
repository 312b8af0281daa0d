package informer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Whoever has asked a factory for the same has the same informer, by whatever
// handle it is looked at, and nobody else has.
func TestSame(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://127.0.0.1:1"})
	require.NoError(t, err)
	defer client.Close()
	f := informer.NewFactory(informer.FactoryOptions{})
	view := rest.NewView[*rest.SlimMeta](client, rest.ResourceInfo{})
	one := informer.For(f, view, informer.Options[*rest.SlimMeta]{})
	again := informer.For(f, view, informer.Options[*rest.SlimMeta]{})
	other := informer.For(f, view.Namespace("shop"), informer.Options[*rest.SlimMeta]{})
	alone := informer.New(view, informer.Options[*rest.SlimMeta]{})
	require.True(t, informer.Same(one, again))
	require.True(t, informer.Same(one, f.Informers()[0]))
	require.True(t, informer.Same(alone, alone))
	require.False(t, informer.Same(one, other))
	require.False(t, informer.Same(one, alone))
	require.False(t, informer.Same(one, nil))
	require.True(t, informer.Same(nil, nil))
}
