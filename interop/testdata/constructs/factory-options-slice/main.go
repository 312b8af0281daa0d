// Options of a factory are collected first.
package main

import (
	"flag"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	namespace := flag.String("namespace", "", "the `namespace` to read")
	flag.Parse()
	var options []informers.SharedInformerOption
	if *namespace != "" {
		options = append(options, informers.WithNamespace(*namespace))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(&rest.Config{}), 0, options...)
	factory.Core().V1().Pods().Informer()
	factory.Start(make(chan struct{}))
}
