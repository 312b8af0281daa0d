// The factory's package has another name, in one line without a block.
package main

import inf "k8s.io/client-go/informers"
import "k8s.io/client-go/kubernetes"
import "k8s.io/client-go/rest"

func main() {
	var options inf.SharedInformerOption = inf.WithNamespace("shop")
	var factory inf.SharedInformerFactory = inf.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(&rest.Config{}), 0, options)
	factory.Start(nil)
}
