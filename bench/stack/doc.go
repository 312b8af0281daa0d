// Package stack has the cases of the whole stack with a connection: an informer with
// one handler, from the bytes of the server to the callback. The server and each
// informer run in their own processes, so that processor time and peak memory are those
// of the informer. In latency/idle both are in one process, so that they share a clock.
//
// The processes are this program, which links all clients of client-go. This adds about
// 50 MB to each peak.
package stack
