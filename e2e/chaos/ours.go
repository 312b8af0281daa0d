package main

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap", Namespaced: true,
}

type mapInformer = informer.SharedInformer[*corev1.ConfigMap]

// ours is the program on this library.
type ours struct {
	client    *rest.Client
	maps      *rest.Resource[*corev1.ConfigMap]
	factory   *informer.Factory
	informers []*mapInformer
	loop      *controller.Controller
}

func newOurs(servers *plane.Plane, m *meter, informers int) (_ *ours, err error) {
	quiet := slog.New(slog.DiscardHandler)
	config := servers.Config(plane.Admin)
	config.WrapTransport = m.wrap
	config.Logger = quiet
	o := &ours{factory: informer.NewFactory(informer.FactoryOptions{Logger: quiet})}
	if o.client, err = rest.New(config); err != nil {
		return nil, err
	}
	o.maps = rest.NewResource[*corev1.ConfigMap](o.client, configMaps).Namespace(namespace)
	for i := range informers {
		inf := informer.For(o.factory, o.maps, informer.Options[*corev1.ConfigMap]{
			Name:             "informer " + strconv.Itoa(i),
			TweakListOptions: func(list *metav1.ListOptions) { list.LabelSelector = selector("ours", i) },
		})
		saw := func(obj *corev1.ConfigMap) {
			if beat, ok := beatOf(obj); ok {
				m.saw(i, beat)
			}
		}
		if _, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*corev1.ConfigMap]{
			AddFunc:    func(obj *corev1.ConfigMap, _ bool) { saw(obj) },
			UpdateFunc: func(_, obj *corev1.ConfigMap) { saw(obj) },
		}, informer.HandlerOptions{}); err != nil {
			o.client.Close()
			return nil, err
		}
		o.informers = append(o.informers, inf)
	}
	o.loop = controller.New("children", controller.Func(o.reconcile), controller.Options{Logger: quiet, MaxConcurrentReconciles: workers})
	controller.For(o.loop, o.informers[items])
	controller.Watches(o.loop, o.informers[children], func(child *corev1.ConfigMap) []controller.Request {
		return []controller.Request{{Namespace: namespace, Name: child.Data["of"]}}
	})
	return o, nil
}

func (o *ours) run(ctx context.Context) error {
	return errors.Join(controller.Run(ctx, controller.RunOptions{
		Factory: o.factory, Logger: slog.New(slog.DiscardHandler), NoSignals: true,
	}, o.loop), o.factory.Shutdown())
}

func (o *ours) close() { o.client.Close() }

// reconcile writes the child of one item.
func (o *ours) reconcile(ctx context.Context, req controller.Request) (controller.Result, error) {
	item, _ := o.informers[items].Get(req.String())
	child, _ := o.informers[children].Get(namespace + "/ours-" + req.Name)
	return controller.Result{}, decide("ours", req.Name, item, child).do(ctx, o.maps.Create, o.maps.Update, o.maps.Delete)
}

func (o *ours) stored(i int) map[string]string {
	all := map[string]string{}
	for obj := range o.informers[i].All() {
		all[obj.Name] = obj.ResourceVersion
	}
	return all
}
