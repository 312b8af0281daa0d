// A handler that is a type of the program, added to informers of a factory.
package main

import (
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type handler struct{ kind string }

var _ cache.ResourceEventHandler = &handler{}

func (h *handler) OnAdd(obj any, initial bool) { h.say("add", obj) }
func (h *handler) OnUpdate(_, obj any)         { h.say("update", obj) }

func (h *handler) OnDelete(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	h.say("delete", obj)
}

func (h *handler) say(what string, obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	fmt.Println(h.kind, what, key, err)
}

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	if _, err := factory.Core().V1().Services().Informer().AddEventHandler(&handler{"service"}); err != nil {
		panic(err)
	}
	if _, err := factory.Networking().V1().Ingresses().Informer().AddEventHandler(&handler{"ingress"}); err != nil {
		panic(err)
	}
	factory.Start(stop)
}
