package informer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// widerView may list more than the View that it embeds.
type widerView struct{ *rest.View[*Pod] }

// namespacedSource declares ScopedNamespace.
type namespacedSource struct{ listwatch.ListerWatcher[*Pod] }

func (namespacedSource) ScopedNamespace() string { return "shop" }

// ScopedNamespace returns the namespace of the source. A method that is promoted from an
// embedded View does not count.
func TestScopedNamespaceIgnoresEmbeddedView(t *testing.T) {
	withFactory(t, informer.FactoryOptions{Namespace: "a"}, func(y *factoryFixture) {
		view := rest.NewView[*Pod](y.client, pods)
		var none informer.Options[*Pod]
		tweaked := informer.Options[*Pod]{TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "x=y" }}
		for want, all := range map[string][]*informer.SharedInformer[*Pod]{
			"": {
				informer.New(view, none),
				informer.New[*Pod](widerView{view.Namespace("b")}, none),
				informer.New[*Pod](nil, none),
			},
			"a": {informer.For(y.factory, view, none)},
			"b": {
				informer.New(view.Namespace("b"), none),
				informer.New(view.Namespace("b"), tweaked),
				informer.New(rest.NewResource[*Pod](y.client, pods).Namespace("b"), none),
			},
			"shop": {informer.New[*Pod](namespacedSource{view}, none)},
		} {
			for _, inf := range all {
				require.Equal(t, want, inf.ScopedNamespace())
			}
		}
	})
}
