package shared

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/util/wait"
	clientcache "k8s.io/client-go/tools/cache"
)

// Informers holds the informers of a factory. The zero value is empty. Its methods can be
// called concurrently.
type Informers[K comparable] struct {
	mu           sync.Mutex
	known        map[K]*entry
	shuttingDown bool
	running      sync.WaitGroup
}

type entry struct {
	informer clientcache.SharedIndexInformer
	started  bool
}

// For returns the informer of a key, which create creates the first time. Create must not
// call the methods of Informers.
func (i *Informers[K]) For(key K, create func() clientcache.SharedIndexInformer) clientcache.SharedIndexInformer {
	i.mu.Lock()
	defer i.mu.Unlock()
	if e, exists := i.known[key]; exists {
		return e.informer
	}
	if i.known == nil {
		i.known = map[K]*entry{}
	}
	e := &entry{informer: create()}
	i.known[key] = e
	return e.informer
}

// Start starts the informers that were requested and not yet started. They run until the
// channel is closed. It does nothing after Shutdown.
func (i *Informers[K]) Start(stopCh <-chan struct{}) {
	i.StartWithContext(wait.ContextForChannel(stopCh))
}

// StartWithContext is Start with a context.
func (i *Informers[K]) StartWithContext(ctx context.Context) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.shuttingDown {
		return
	}
	for _, e := range i.known {
		if !e.started {
			e.started = true
			i.running.Go(func() { e.informer.RunWithContext(ctx) })
		}
	}
}

// Shutdown prevents the start of informers, and waits until those that were started have
// ended. The caller ends them.
func (i *Informers[K]) Shutdown() {
	i.mu.Lock()
	i.shuttingDown = true
	i.mu.Unlock()
	i.running.Wait()
}

// WaitForCacheSync waits until the informers that were started have synchronised or the
// channel is closed, and returns which of them have.
func (i *Informers[K]) WaitForCacheSync(stopCh <-chan struct{}) map[K]bool {
	return i.WaitForCacheSyncWithContext(wait.ContextForChannel(stopCh))
}

// WaitForCacheSyncWithContext is WaitForCacheSync with a context.
func (i *Informers[K]) WaitForCacheSyncWithContext(ctx context.Context) map[K]bool {
	started := i.started()
	checkers := make([]clientcache.DoneChecker, 0, len(started))
	for _, informer := range started {
		checkers = append(checkers, informer.HasSyncedChecker())
	}
	clientcache.WaitFor(ctx, "", checkers...) // without a name it does not log
	synced := make(map[K]bool, len(started))
	for key, informer := range started {
		synced[key] = informer.HasSynced()
	}
	return synced
}

func (i *Informers[K]) started() map[K]clientcache.SharedIndexInformer {
	i.mu.Lock()
	defer i.mu.Unlock()
	started := make(map[K]clientcache.SharedIndexInformer, len(i.known))
	for key, e := range i.known {
		if e.started {
			started[key] = e.informer
		}
	}
	return started
}
