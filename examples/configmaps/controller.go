package main

import (
	"context"
	"fmt"
	"io"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// newController returns the controller of the ConfigDeployments of a namespace. The
// ConfigMap that a ConfigDeployment names is read with controller.Get, so that a change
// of that ConfigMap reconciles the ConfigDeployment.
func newController(client *rest.Client, factory *informer.Factory, namespace string, out io.Writer) *controller.Controller {
	configs := informer.For(factory, rest.NewView[*ConfigDeployment](client, configDeploymentInfo).Namespace(namespace), informer.Options[*ConfigDeployment]{})
	configMaps := informer.For(factory, rest.NewView[*ConfigMapVersion](client, configMapInfo).Namespace(namespace), informer.Options[*ConfigMapVersion]{})
	resource := rest.NewResource[*Deployment](client, deploymentInfo).Namespace(namespace)
	deployments := informer.For(factory, resource, informer.Options[*Deployment]{})

	c := controller.New("configdeployments", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		config, ok, err := controller.Get(ctx, configs, req.String())
		if err != nil || !ok {
			fmt.Fprintf(out, "reconcile  %s: deleted\n", req)
			return controller.Result{}, err // the garbage collector deletes the Deployment
		}
		configMap, ok, err := controller.Get(ctx, configMaps, req.Namespace+"/"+config.Spec.ConfigMap)
		if err != nil || !ok {
			fmt.Fprintf(out, "reconcile  %s: there is no ConfigMap %s\n", req, config.Spec.ConfigMap)
			return controller.Result{}, err // its creation reconciles req
		}
		current, ok, err := controller.Get(ctx, deployments, req.String())
		wanted := newDeployment(config, configMap)
		if err != nil || ok && reflect.DeepEqual(current.Spec, wanted.Spec) {
			return controller.Result{}, err
		}
		fmt.Fprintf(out, "reconcile  %s: replace the pods, for version %s of %s\n", req, configMap.ResourceVersion, configMap.Name)
		if err := controller.SetControllerReference(config, configDeploymentInfo, wanted); err != nil {
			return controller.Result{}, err
		}
		_, err = resource.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "configdeployments", Force: true})
		return controller.Result{}, err
	}), controller.Options{})
	controller.For(c, configs)
	controller.NotOwnWrites(controller.Owns(c, deployments, controller.GenerationChanged))
	controller.Reads(c, configMaps)
	return c
}
