// Package memory has the cases of the stack without a connection: an informer and its
// handlers, with a source that returns objects from memory.
//
// An operation of informer/n is one event, from the source through reflector, queue,
// store and fan-out to the last of n handlers. The fan-out of client-go cannot be run
// without the other stages. So fanout/n is a difference on both sides: the cost of an
// event with n handlers, less its cost without handlers, divided by n.
package memory
