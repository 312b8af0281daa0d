package main

import (
	"context"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Greeting is the custom resource of crd.yaml, as a plain struct: there is no
// scheme to register it in, and nothing is generated.
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              struct {
		Name string `json:"name"`
	} `json:"spec"`
	Status struct {
		Message string `json:"message,omitempty"`
	} `json:"status,omitzero"`
}

var greetingInfo = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "greetings"},
	Kind:                 "Greeting",
	Namespaced:           true,
}

// newController makes the controller that greets: whenever a Greeting says whom,
// its status is to say how. greetings is where it reads and writes them; cache,
// an informer of them, is where it looks them up.
func newController(greetings *rest.Resource[*Greeting], cache *informer.SharedInformer[*Greeting], tale io.Writer) *controller.Controller {
	reconcile := func(ctx context.Context, req controller.Request) (controller.Result, error) {
		greeting, ok := cache.Get(req.String())
		if !ok {
			fmt.Fprintf(tale, "reconcile  %s: it is gone, nothing to do\n", req)
			return controller.Result{}, nil
		}
		message := "Hello, " + greeting.Spec.Name + "!"
		if greeting.Status.Message == message {
			fmt.Fprintf(tale, "reconcile  %s: it is as it should be\n", req)
			return controller.Result{}, nil
		}
		fmt.Fprintf(tale, "reconcile  %s: the message is to be %q\n", req, message)
		greeting = informer.Clone(greeting) // what a cache hands out belongs to all
		greeting.Status.Message = message
		_, err := greetings.UpdateStatus(ctx, greeting, metav1.UpdateOptions{})
		return controller.Result{}, err // an error: again, later each time
	}
	c := controller.New("greeter", controller.Func(reconcile), controller.Options{})
	controller.For(c, cache, controller.GenerationChanged) // not for its own writes of the status
	return c
}

// newHandler makes a handler, which is told of each change of the cache. A
// controller brings its own; one by hand is for whoever wants to see the changes
// themselves.
func newHandler(tale io.Writer) informer.ResourceEventHandler[*Greeting] {
	return informer.ResourceEventHandlerFuncs[*Greeting]{
		AddFunc: func(g *Greeting, isInInitialList bool) {
			fmt.Fprintf(tale, "handler    %s/%s is there, for %s\n", g.Namespace, g.Name, g.Spec.Name)
		},
		UpdateFunc: func(old, new *Greeting) {
			if old.Spec != new.Spec {
				fmt.Fprintf(tale, "handler    %s/%s: name %s -> %s\n", new.Namespace, new.Name, old.Spec.Name, new.Spec.Name)
			}
			if old.Status != new.Status {
				fmt.Fprintf(tale, "handler    %s/%s: message %q -> %q\n", new.Namespace, new.Name, old.Status.Message, new.Status.Message)
			}
		},
		DeleteFunc: func(g *Greeting, finalStateUnknown bool) {
			fmt.Fprintf(tale, "handler    %s/%s is gone\n", g.Namespace, g.Name)
		},
	}
}
