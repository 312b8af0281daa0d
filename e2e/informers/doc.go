// Package informers tests package informer with a real kube-apiserver, beside client-go's
// informers. Both receive the same churn over connections that break, from an API server
// that is killed and restarted.
//
//	          ┌─ wire ──► our informer       ──► store, notifications
//	writer ─► kube-apiserver                                                  │
//	          └─ wire ──► client-go's        ──► store, notifications
//	                                                                          ▼
//	          the server's list at the end  ◄────────────────────── all equal
//
// A seed, which is logged, determines the writes and where connections break:
//
//	go -C e2e test -count=1 -v ./informers
//	go -C e2e test -count=1 -v ./informers -args -seed=17 -rounds=200
//
// The notifications of client-go's handlers must result in the objects of the server. For
// ours there are more requirements. Until an informer lists again, its handler receives each
// change once and in order. In any case it receives for each key OnAdd, then OnUpdates, then
// OnDelete, each with the previous state, and only states that were written.
package informers
