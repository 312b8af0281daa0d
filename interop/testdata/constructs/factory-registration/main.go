// Registrations of a factory's informer are kept, waited for and removed.
package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type subscriber struct {
	informer      cache.SharedIndexInformer
	registrations map[string]cache.ResourceEventHandlerRegistration
}

func (s *subscriber) subscribe(name string, notify func()) error {
	registration, err := s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { notify() }})
	s.registrations[name] = registration
	return err
}

func (s *subscriber) unsubscribe(name string) error {
	return s.informer.RemoveEventHandler(s.registrations[name])
}

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	s := &subscriber{factory.Core().V1().Pods().Informer(), map[string]cache.ResourceEventHandlerRegistration{}}
	if err := s.subscribe("first", func() {}); err != nil {
		panic(err)
	}
	factory.Start(stop)
	cache.WaitForCacheSync(stop, s.registrations["first"].HasSynced)
	if err := s.unsubscribe("first"); err != nil {
		panic(err)
	}
}
