// Command chaos kills and restarts a real kube-apiserver at random times. It compares the
// recovery of a controller on this library with that of a controller on client-go.
//
//	go run -C e2e ./chaos                         # ten minutes
//	go run -C e2e ./chaos -for 1m -seed 7         # shorter, with the random times of seed 7
//	go run -C e2e ./chaos -informers 50           # more informers for each library
//
// Both controllers do the same work on the same server, each with one client of its own
// library. A writer creates, changes and deletes config maps, the items. The controllers
// keep another config map, the child, for each item. Each program has more informers of the
// same objects.
//
//	writer ──► items ──► informers of ours       ──► controller ──► children "ours-…"
//	              │ └──► informers of client-go  ──► controller ──► children "theirs-…"
//	   kill, restart
//
// # The table
//
// During an outage, a probe tries to write a new number into the beat, an object that all
// informers select. An informer is current again when its handler has received this number.
// The clock starts when the server has accepted the beat and has responded to one of the
// two programs, with a status other than 429 and 5xx.
//
//	up       time for which the server had run when it was killed
//	away     time from the kill until the clock starts
//	median   time until half of the program's informers are current
//	last     time until all of them are; "> 4.2s" if some are not before the next kill
//	reads    requests of the informers (GET) from the kill until the last is current
//	peak     maximum number of these requests that began within one second
//
// At the end the writer stops. Then each item must have a child with the item's number, each
// child must have an item, and the store of each informer must equal a list of the server.
// The command fails if this is not so for this library.
//
// The seed determines the times of kills and restarts. Everything else depends on the
// machine. Compare the two sides of one row, and never two runs.
package main
