// Package memory holds the cases of the stack above the connection: an informer
// whose events a hand-made source has ready as objects, and its handlers.
//
// An operation of informer/n is one event, from the source to the last of n
// handlers, with everything in between: reflector, queue, store, fan-out.
// client-go's fan-out cannot be had without these. So fanout/n is a difference,
// on both sides: what an event costs with n handlers, less what it costs with
// none, for each handler.
package memory
