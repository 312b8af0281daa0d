package factory_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcache "k8s.io/client-go/tools/cache"

	shopv1 "github.com/thinformer/thinformer/interop/testdata/widgets/apis/shop/v1"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
	"github.com/thinformer/thinformer/interop/testdata/widgets/informers035"
	"github.com/thinformer/thinformer/interop/testdata/widgets/informers036"
)

// started is what both versions of a factory have.
type started interface {
	Start(stopCh <-chan struct{})
	Shutdown()
}

// The factories that informer-gen of 0.35 and 0.36 has generated have our informers too, by
// their accessors and by ForResource.
func TestFactoriesOfOlderCodeGenerators(t *testing.T) {
	stock := shopv1.SchemeGroupVersion.WithResource("stock")
	for name, open := range map[string]func(versioned.Interface) (factory started, widgets, stocks clientcache.SharedIndexInformer){
		"0.35": func(client versioned.Interface) (started, clientcache.SharedIndexInformer, clientcache.SharedIndexInformer) {
			factory := informers035.NewSharedInformerFactory(client, 0)
			generic, err := factory.ForResource(stock)
			require.NoError(t, err)
			require.Same(t, indexOf(generic.Informer()), indexOf(factory.Shop().V1().Stocks().Informer()))
			return factory, factory.Shop().V1().Widgets().Informer(), generic.Informer()
		},
		"0.36": func(client versioned.Interface) (started, clientcache.SharedIndexInformer, clientcache.SharedIndexInformer) {
			factory := informers036.NewSharedInformerFactory(client, 0)
			generic, err := factory.ForResource(stock)
			require.NoError(t, err)
			require.Same(t, indexOf(generic.Informer()), indexOf(factory.Shop().V1().Stocks().Informer()))
			return factory, factory.Shop().V1().Widgets().Informer(), generic.Informer()
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := servedClientset(t)
			_, err := client.ShopV1().Widgets("default").Create(t.Context(), &shopv1.Widget{ObjectMeta: metav1.ObjectMeta{Name: "web"}}, metav1.CreateOptions{})
			require.NoError(t, err)
			_, err = client.ShopV1().Stocks().Create(t.Context(), &shopv1.Stock{ObjectMeta: metav1.ObjectMeta{Name: "main"}}, metav1.CreateOptions{})
			require.NoError(t, err)
			factory, widgets, stocks := open(client)
			require.True(t, isOurs(widgets))
			require.True(t, isOurs(stocks))
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			factory.Start(ctx.Done())
			defer factory.Shutdown()
			defer cancel()
			require.True(t, clientcache.WaitForCacheSync(ctx.Done(), widgets.HasSynced, stocks.HasSynced))
			require.Equal(t, []string{"default/web"}, widgets.GetStore().ListKeys())
			require.Equal(t, []string{"main"}, stocks.GetStore().ListKeys())
		})
	}
}
