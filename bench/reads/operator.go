package reads

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

var secretsInfo = rest.ResourceInfo{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("secrets"), Kind: "Secret", Namespaced: true}

// openOurOperator opens an operator of this library.
func openOurOperator(q secretsQuestion, a *apps) *running {
	client := must(rest.New(q.At.Ours()))
	factory := informer.NewFactory(informer.FactoryOptions{})
	configMaps := informer.For(factory, rest.NewView[*corev1.ConfigMap](client, configMapsInfo), informer.Options[*corev1.ConfigMap]{
		TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = apiserver.AppLabel + "=true" },
	})
	var secrets *informer.Bodies[*corev1.Secret]
	if q.Reader != withoutSecrets {
		secrets = informer.ForBodies(factory, rest.NewView[*corev1.Secret](client, secretsInfo), informer.BodyOptions[*corev1.Secret]{})
	}
	c := controller.New("apps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		app, ok := configMaps.Get(req.String())
		if !ok {
			return controller.Result{}, nil
		}
		if q.Reader == withoutSecrets {
			a.reconciled(req.Name, 0)
			return controller.Result{}, nil
		}
		secret, ok, err := controller.Get(ctx, secrets, req.Namespace+"/"+app.Data[apiserver.SecretField])
		if err != nil || !ok {
			return controller.Result{}, err
		}
		a.reconciled(req.Name, len(secret.Data[apiserver.DataField]))
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, configMaps)
	if q.Reader != withoutSecrets {
		controller.Reads(c, secrets)
	}
	return run(func(ctx context.Context) error {
		return controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c)
	})
}
