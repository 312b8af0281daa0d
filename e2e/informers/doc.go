// Package informers holds package informer to a real kube-apiserver, with
// client-go's informers beside it: both see the same churn through connections
// that break, and an API server that is killed and started again.
//
//	          ┌─ wire ──► our informer       ──► store, what a handler was told
//	writer ─► kube-apiserver                                                  │
//	          └─ wire ──► client-go's        ──► store, what a handler was told
//	                                                                          ▼
//	          the server's list at the end  ◄────────────────────── all the same
//
// What is written, when a connection breaks and in the middle of what, follows
// from a seed, which is logged:
//
//	go -C e2e test -count=1 -v ./informers
//	go -C e2e test -count=1 -v ./informers -args -seed=17 -rounds=200
//
// Of client-go's handlers it is asked that the history leads to what the server
// has. Ours are held to more. As long as nobody had to read everything again they
// were told each change, once, in order; whatever happened, for each key OnAdd,
// then OnUpdates, then OnDelete, each from the state told before, and no state
// that was never written.
package informers
