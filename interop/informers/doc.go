// Package informers is client-go's package of the same name over this module's informers:
//
//	factory := informers.NewSharedInformerFactory(clientset, 10*time.Hour)
//	pods := factory.Core().V1().Pods()
//	pods.Informer().AddEventHandler(handler)
//	factory.Start(ctx.Done())
//
// Change the import from k8s.io/client-go/informers to this package. The interfaces are
// client-go's, and so are the accessors of groups and versions and their listers. Their
// informers decode the responses of a clientset with this module's decoders, and have its
// limits and its failure reasons. A fake clientset, or a wrapper of the program around a
// typed client, is asked for its lists and watches.
//
// The packages of the groups, such as k8s.io/client-go/informers/core/v1, stay. Their
// constructors return client-go's informers; [NewInformer] and [NewFilteredInformer]
// replace them:
//
//	pods := informers.NewFilteredInformer[*corev1.Pod](clientset, "shop", 0, indexers, tweak)
//
// Their functions New, which read another namespace with the same factory, pass functions of
// their own to InformerFor; [In] replaces them:
//
//	pods := informers.In(factory, "shop", tweak).Core().V1().Pods()
//
// InformerFor calls the function that it is given, and logs a warning if the function
// returns an informer of client-go. Package interop/factory describes this.
//
// The command thinformer-factory writes such a package for any factory that informer-gen
// has generated; factory.go is what it writes for client-go's.
package informers

//go:generate go run -C ../../cmd/thinformer-migrate ./thinformer-factory -o ../../interop/informers/factory.go k8s.io/client-go/informers
