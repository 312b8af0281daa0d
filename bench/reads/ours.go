package reads

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

var (
	namespacesInfo = rest.ResourceInfo{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("namespaces"), Kind: "Namespace"}
	configMapsInfo = rest.ResourceInfo{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"), Kind: "ConfigMap", Namespaced: true}
)

// openOurWriter opens a controller of this library. If fresh is set, its reads are tracked
// and wait for its writes, and its own writes cause no further reconcile.
func openOurWriter(fresh bool) openWriter {
	return func(at apiserver.Address, namespace string, t *tally) writer {
		client := must(rest.New(at.Ours()))
		objects := rest.NewResource[*corev1.ConfigMap](client, configMapsInfo).Namespace(namespace)
		factory := informer.NewFactory(informer.FactoryOptions{})
		configMaps := informer.For(factory, objects, informer.Options[*corev1.ConfigMap]{})
		get := func(ctx context.Context, key string) (*corev1.ConfigMap, bool, error) {
			if fresh {
				return controller.Get(ctx, configMaps, key)
			}
			object, ok := configMaps.Get(key)
			return object, ok, nil
		}
		c := controller.New("writer", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			t.reconciles.Add(1)
			began := time.Now()
			object, ok, err := get(ctx, req.String())
			if err != nil || !ok || object.Data[markField] != "" {
				return controller.Result{}, err
			}
			object = informer.Clone(object)
			object.Data = map[string]string{markField: "true"}
			if object, err = objects.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
				return controller.Result{}, err
			}
			again, _, err := get(ctx, req.String())
			if err != nil {
				return controller.Result{}, err
			}
			t.wrote(began, object.ResourceVersion, again.GetResourceVersion())
			return controller.Result{}, nil
		}), controller.Options{})
		if watch := controller.For(c, configMaps); fresh {
			controller.NotOwnWrites(watch)
		}
		r := run(func(ctx context.Context) error {
			return controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c)
		})
		return stopped{r, client.Close}
	}
}

// stopped is a running whose stop also calls a function.
type stopped struct {
	*running
	after func()
}

func (s stopped) stop() {
	s.running.stop()
	s.after()
}
