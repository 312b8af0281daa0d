package stack

import (
	"context"
	"net/url"
	"time"
)

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
