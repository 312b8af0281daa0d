package stack

import (
	"net/url"
	"time"

	"github.com/thinformer/thinformer/listwatch"
)

// Parts has the functions of all steps: the learner's or those of the reference.
type Parts struct {
	// Step 1. dial opens a connection; each request has its own.
	NewTransport func(dial Dial) Transport
	// Step 2. base is the server, such as http://server.
	NewClient func(base *url.URL, transport Transport) Client
	// Step 3.
	NewDecoder NewDecoder
	// Step 4. It lists and watches the ConfigMaps of one namespace, or of all for "".
	NewListerWatcher func(client Client, decoder NewDecoder, namespace string) ListerWatcher
	// Step 5. A watch without any event for as long as silence is replaced by a new one.
	NewFollower func(watcher listwatch.Watcher[Object], store Store, backoff Backoff, silence time.Duration) Follower
	// Step 5. The times double from base to limit, each longer or shorter at random.
	NewBackoff func(base, limit time.Duration) Backoff
	// Step 6.
	NewReflector func(source ListerWatcher, store Store, options ReflectorOptions) Reflector
	// Step 7. known has the objects that have been processed.
	NewQueue func(known KnownObjects) Queue
	// Step 8.
	NewIndexer func() Indexer
	// Step 9.
	NewInformer func(queue Queue, indexer Indexer) Informer
	// Step 10. base and limit are the shortest and the longest time of AddRateLimited.
	NewWorkQueue func(base, limit time.Duration) WorkQueue
	// Step 11. cache may be older than the server.
	NewReconciler func(cache Indexer, client Client) Reconciler
	// Step 12.
	NewChecker func() Checker
}
