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

// Greeting is the custom resource of crd.yaml as a plain struct, without a scheme or
// generated code.
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

// newController returns the controller: for each Greeting with a name in its spec, it
// writes the message to its status. It reads and writes through greetings; cache is an
// informer of them.
func newController(greetings *rest.Resource[*Greeting], cache *informer.SharedInformer[*Greeting], out io.Writer) *controller.Controller {
	reconcile := func(ctx context.Context, req controller.Request) (controller.Result, error) {
		greeting, ok := cache.Get(req.String())
		if !ok {
			fmt.Fprintf(out, "reconcile  %s: deleted, nothing to do\n", req)
			return controller.Result{}, nil
		}
		message := "Hello, " + greeting.Spec.Name + "!"
		if greeting.Status.Message == message {
			fmt.Fprintf(out, "reconcile  %s: the message is up to date\n", req)
			return controller.Result{}, nil
		}
		fmt.Fprintf(out, "reconcile  %s: set the message to %q\n", req, message)
		greeting = informer.Clone(greeting) // objects in a cache are shared
		greeting.Status.Message = message
		_, err := greetings.UpdateStatus(ctx, greeting, metav1.UpdateOptions{})
		return controller.Result{}, err // retried with backoff
	}
	c := controller.New("greeter", controller.Func(reconcile), controller.Options{})
	controller.For(c, cache, controller.GenerationChanged) // ignores its own updates of the status
	return c
}

// newHandler returns a handler that is called for each change of the cache. A
// controller has its own; a handler is for programs that need the changes themselves.
func newHandler(out io.Writer) informer.ResourceEventHandler[*Greeting] {
	return informer.ResourceEventHandlerFuncs[*Greeting]{
		AddFunc: func(g *Greeting, isInInitialList bool) {
			fmt.Fprintf(out, "handler    %s/%s added, for %s\n", g.Namespace, g.Name, g.Spec.Name)
		},
		UpdateFunc: func(old, new *Greeting) {
			if old.Spec != new.Spec {
				fmt.Fprintf(out, "handler    %s/%s: name %s -> %s\n", new.Namespace, new.Name, old.Spec.Name, new.Spec.Name)
			}
			if old.Status != new.Status {
				fmt.Fprintf(out, "handler    %s/%s: message %q -> %q\n", new.Namespace, new.Name, old.Status.Message, new.Status.Message)
			}
		},
		DeleteFunc: func(g *Greeting, finalStateUnknown bool) {
			fmt.Fprintf(out, "handler    %s/%s deleted\n", g.Namespace, g.Name)
		},
	}
}
