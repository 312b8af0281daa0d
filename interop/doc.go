// Package interop is what needs k8s.io/api or client-go, and therefore a module
// of its own: for users the adapters between client-go and this module, and tests
// that hold this module to the behaviour of the originals.
//
//	ours                         as client-go's
//	cache.Indexer                Indexer: generated listers read it
//	indexer.Indexer[T]           IndexerOf
//	cache.SharedIndexInformer    SharedIndexInformer, NewSharedIndexInformer: a
//	                             generated factory holds it
//	informer.SharedInformer[T]   InformerOf
//
//	client-go's                  as ours
//	a client of one resource     ListWatch
//	a group's RESTClient         cache.NewListWatchFromClient, as it is
//	a ListWatch                  cache.NewSharedIndexInformer and cache.ToTyped
//	                             take it as it is
//
// What client-go's methods take and give is of client-go's types, tombstones
// among them. Package controllers has three controllers that switch.
//
// What is compared: every object of the corpus in package objects, mutations of
// it and random objects of the same types, decoded by thinformer and by
// apimachinery's serializers, from JSON and from protobuf, alone, in lists and in
// watches, into full types, slim ones, metadata alone and unstructured; the URLs
// that the same builder calls make on both sides, random kubeconfigs, and what
// words for resources mean.
package interop
