package reads

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/thinformer/thinformer/bench/apiserver"
)

// coreScheme returns the scheme of the kinds of core/v1.
func coreScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	check(corev1.AddToScheme(scheme))
	return scheme
}

// newManager returns a manager without metrics and logs.
func newManager(at apiserver.Address, caches cache.Options, clients client.CacheOptions) manager.Manager {
	log.SetLogger(logr.Discard())
	unnamed := true
	return must(ctrl.NewManager(at.Theirs(), ctrl.Options{
		Scheme: coreScheme(), Logger: logr.Discard(), Metrics: server.Options{BindAddress: "0"},
		Cache: caches, Client: client.Options{Cache: &clients},
		Controller: config.Controller{SkipNameValidation: &unnamed},
	}))
}

// openTheirWriter opens a controller of controller-runtime. If fresh is set, its reads wait
// for its writes.
func openTheirWriter(fresh bool) openWriter {
	return func(at apiserver.Address, namespace string, t *tally) writer {
		m := newManager(at,
			cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
			client.CacheOptions{EnableReadYourWritesConsistency: &fresh})
		objects := m.GetClient()
		check(ctrl.NewControllerManagedBy(m).Named("writer").For(&corev1.ConfigMap{}).Complete(reconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
			t.reconciles.Add(1)
			began := time.Now()
			var object, again corev1.ConfigMap
			if err := objects.Get(ctx, req.NamespacedName, &object); err != nil {
				return ctrl.Result{}, client.IgnoreNotFound(err)
			}
			if object.Data[markField] != "" {
				return ctrl.Result{}, nil
			}
			object.Data = map[string]string{markField: "true"}
			if err := objects.Update(ctx, &object); err != nil {
				return ctrl.Result{}, err
			}
			if err := objects.Get(ctx, req.NamespacedName, &again); err != nil {
				return ctrl.Result{}, err
			}
			t.wrote(began, object.ResourceVersion, again.ResourceVersion)
			return ctrl.Result{}, nil
		})))
		return run(m.Start)
	}
}

// secretIndex is the index of apps by the name of their Secret.
const secretIndex = "secret"

// openTheirOperator opens an operator of controller-runtime.
func openTheirOperator(q secretsQuestion, a *apps) *running {
	isApp := labels.SelectorFromSet(labels.Set{apiserver.AppLabel: "true"})
	caches := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject:         map[client.Object]cache.ByObject{new(corev1.ConfigMap): {Label: isApp}},
	}
	var clients client.CacheOptions
	if q.Reader == withMetadata {
		clients.DisableFor = []client.Object{new(corev1.Secret)}
	}
	m := newManager(q.At, caches, clients)
	objects := m.GetClient()
	check(m.GetFieldIndexer().IndexField(context.Background(), new(corev1.ConfigMap), secretIndex, func(app client.Object) []string {
		return []string{app.(*corev1.ConfigMap).Data[apiserver.SecretField]}
	}))
	ofSecret := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, secret client.Object) (requests []ctrl.Request) {
		var found corev1.ConfigMapList
		check(objects.List(ctx, &found, client.InNamespace(secret.GetNamespace()), client.MatchingFields{secretIndex: secret.GetName()}))
		for _, app := range found.Items {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&app)})
		}
		return requests
	})
	c := ctrl.NewControllerManagedBy(m).Named("apps").For(new(corev1.ConfigMap))
	switch q.Reader {
	case withCache:
		c = c.Watches(new(corev1.Secret), ofSecret)
	case withMetadata:
		c = c.WatchesMetadata(new(corev1.Secret), ofSecret)
	}
	check(c.Complete(reconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		var app corev1.ConfigMap
		if err := objects.Get(ctx, req.NamespacedName, &app); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		if q.Reader == withoutSecrets {
			a.reconciled(req.Name, 0)
			return ctrl.Result{}, nil
		}
		var secret corev1.Secret
		if err := objects.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: app.Data[apiserver.SecretField]}, &secret); err != nil {
			return ctrl.Result{}, err
		}
		a.reconciled(req.Name, len(secret.Data[apiserver.DataField]))
		return ctrl.Result{}, nil
	})))
	return run(m.Start)
}
