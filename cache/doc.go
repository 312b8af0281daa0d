// Package cache is client-go's k8s.io/client-go/tools/cache over the rooms of
// this module: the same names and signatures, so that a program switches by
// changing an import path. It is the only room in which objects have no type,
// and the only one that has old forms beside new ones.
//
//	tools/cache            here                            the room beneath
//	ListWatch              a source of lists and watches   rest, listwatch
//	Reflector              drives a ReflectorStore         reflector
//	DeltaFIFO              a Queue of Deltas               deltafifo
//	Store, Indexer         List, Get, ByIndex              indexer
//	SharedIndexInformer    handlers and a store            informer
//
// What comes in is what client-go takes, and what goes out is what it gives. Where
// its behaviour is a promise, this is the same: every event is delivered, in the
// order of arrival, and nothing is merged unless asked for. Where it is a defect,
// this is what the room beneath promises.
package cache
