// Package interop connects this module with client-go. It needs k8s.io/api and
// client-go, so it is a module of its own. It has adapters between client-go's types and
// this module's, and tests that compare this module with the originals.
//
//	this module                  as client-go's
//	cache.Indexer                Indexer: for generated listers
//	indexer.Indexer[T]           IndexerOf
//	cache.SharedIndexInformer    SharedIndexInformer, NewSharedIndexInformer,
//	                             NewSharedIndexInformerWithOptions, NewSharedInformer:
//	                             for generated code
//	informer.SharedInformer[T]   InformerOf
//
//	client-go                    as this module's
//	a client of one resource     ListWatch
//	a group's RESTClient         cache.NewListWatchFromClient accepts it
//	a ListWatch                  cache.NewSharedIndexInformer and cache.ToTyped
//	                             accept it
//
// The adapters' methods from client-go accept and return client-go's types, including
// tombstones. Packages informers, dynamicinformer and metadatainformer replace client-go's
// factories of the same names. Package controllers has four controllers that switch libraries.
//
// The tests decode every object of the corpus in package objects, mutations of these
// objects, and random objects of the same types, with thinformer and with
// apimachinery's serializers, and compare the results. They decode from JSON and from
// protobuf, single objects, lists and watches, into full types, slim types, metadata
// and unstructured content. They also compare the URLs of equal builder calls, random
// kubeconfigs, and the resolution of resource names.
package interop
