package stack

import (
	"context"
	"net/url"
	"time"

	"github.com/thinformer/thinformer/listwatch"
)

// Parts has the functions of all steps: the learner's or the reference's.
type Parts struct {
	NewTransport func(dial Dial) Transport // Step 1.
	// Step 2. base is the server, such as http://server.
	NewClient  func(base *url.URL, transport Transport) Client
	NewDecoder NewDecoder // Step 3.
	// Step 4. It lists and watches the ConfigMaps of one namespace, or of all for "".
	NewListerWatcher func(client Client, decoder NewDecoder, namespace string) ListerWatcher
	// Step 5. A watch without any event for as long as silence is replaced by a new one.
	NewFollower func(watcher listwatch.Watcher[Object], store Store, backoff Backoff, silence time.Duration) Follower
	// Step 5. The times double from base to limit, each shortened by up to a half at random.
	NewBackoff   func(base, limit time.Duration) Backoff
	NewReflector func(source ListerWatcher, store Store, options ReflectorOptions) Reflector // Step 6.
	// Step 7. known has the objects that have been processed.
	NewQueue    func(known KnownObjects) Queue
	NewIndexer  func() Indexer                              // Step 8.
	NewInformer func(queue Queue, indexer Indexer) Informer // Step 9.
	// Step 10. base and limit are the times of AddRateLimited.
	NewWorkQueue func(base, limit time.Duration) WorkQueue
	// Step 11. cache may be older than the server.
	NewReconciler func(cache Indexer, client Client) Reconciler
	NewChecker    func() Checker // Step 12.
}

// Program is an informer that is built from the parts, and what a controller needs.
type Program struct {
	Client   Client
	Indexer  Indexer
	Informer Informer
	reflect  Reflector
}

// Build connects the parts to the server at base. stream selects streamed lists.
func (p Parts) Build(base *url.URL, dial Dial, namespace string, stream bool) *Program {
	client := p.NewClient(base, p.NewTransport(dial))
	source := p.NewListerWatcher(client, p.NewDecoder, namespace)
	cache := p.NewIndexer()
	queue := p.NewQueue(cache)
	const silence = 5 * time.Minute
	backoff := func() Backoff { return p.NewBackoff(800*time.Millisecond, 30*time.Second) }
	follow := func(store Store) Follower { return p.NewFollower(source, store, backoff(), silence) }
	options := ReflectorOptions{Stream: stream, Silence: silence, Backoff: backoff(), Follow: follow}
	return &Program{client, cache, p.NewInformer(queue, cache), p.NewReflector(source, queue, options)}
}

// Run runs the informer until ctx is done.
func (p *Program) Run(ctx context.Context) error { return p.Informer.Run(ctx, p.reflect.Run) }
