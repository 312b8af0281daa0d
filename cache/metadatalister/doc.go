// Package metadatalister has the names and signatures of
// k8s.io/client-go/metadata/metadatalister: listers of the metadata of objects that read a
// cache.Indexer.
//
// The input is the Indexer of an informer and the resource, which is named in
// errors. The output are the stored objects, which must not be modified.
//
//	widgets := metadatalister.New(informer.GetIndexer(), schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
//	w, err := widgets.Namespace("shop").Get("first")
//
// An object of another type in the Indexer is an error. A name that the Indexer
// does not have is a NotFound error.
package metadatalister
