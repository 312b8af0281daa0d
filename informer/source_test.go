package informer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// aroundAView may show more than the View that it embeds.
type aroundAView struct{ *rest.View[*Pod] }

// narrowedByHand knows what it shows.
type narrowedByHand struct{ listwatch.ListerWatcher[*Pod] }

func (narrowedByHand) InNamespace() string { return "shop" }

// An informer knows the namespace that its source was narrowed to, and takes no
// embedded View's word for it.
func TestInNamespace(t *testing.T) {
	inYard(t, informer.FactoryOptions{Namespace: "a"}, func(y *yard) {
		view := rest.NewView[*Pod](y.client, pods)
		var none informer.Options[*Pod]
		tweaked := informer.Options[*Pod]{Tweak: func(o *metav1.ListOptions) { o.LabelSelector = "x=y" }}
		for want, all := range map[string][]*informer.SharedInformer[*Pod]{
			"": {
				informer.New(view, none),
				informer.New[*Pod](aroundAView{view.Namespace("b")}, none),
				informer.New[*Pod](nil, none),
			},
			"a": {informer.For(y.factory, view, none)},
			"b": {
				informer.New(view.Namespace("b"), none),
				informer.New(view.Namespace("b"), tweaked),
				informer.New(rest.NewResource[*Pod](y.client, pods).Namespace("b"), none),
			},
			"shop": {informer.New[*Pod](narrowedByHand{view}, none)},
		} {
			for _, inf := range all {
				require.Equal(t, want, inf.InNamespace())
			}
		}
	})
}
