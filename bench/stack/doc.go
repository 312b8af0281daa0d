// Package stack holds the cases of the whole stack over a connection: an
// informer with one handler, from the bytes that a server sends to the callback.
// The server is in a process of its own, and so is each informer, so that
// processor time and peak of memory are the informer's alone; only latency/idle
// has both in one process, which has one clock.
//
// The clients share this program, which holds every client of client-go: some
// 50 MB of each peak are the program's.
package stack
