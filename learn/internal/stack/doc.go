// Package stack has the interface of each part that a learner writes in the course, and
// connects the parts. Each step has one interface; step 5 has two.
//
//	Transport ─► Client ─► ListerWatcher ─► Follower ─► Queue ─► Informer ─► handlers
//	             Decoder ─┘                 Reflector ┘             │            │
//	                                                             Indexer     WorkQueue
//
// ListerWatcher, the store of a Reflector, and the handlers are interfaces of the
// library: a part works with the library, and a part of the library in the course.
package stack
