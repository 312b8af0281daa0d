// Package informer puts the stages together: a reflector keeps a queue of
// changes filled, the informer pops them into a store that anybody may read,
// and tells the handlers that are registered with it.
//
//	ListerWatcher ─► reflector ─► deltafifo ─► processLoop ─┬─► indexer: Get, All, Lister
//	                                                        └─► one log ─┬─► handler
//	                                                                     └─► handler
//
// What comes in is a ListerWatcher, such as a rest.View. What goes out are
// reads that never wait, and notifications in order.
package informer
