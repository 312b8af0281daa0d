// want: a handler that blocks delays nothing else: call a handler without a mutex that they need
package informer

import (
	"sync"
)

// calling is held during the calls of handlers, and by HasSynced.
var calling sync.RWMutex

func (i *informer) HasSynced() bool {
	calling.Lock()
	defer calling.Unlock()
	return i.queue.HasSynced()
}

func (i *informer) deliver(l *listener) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for !i.stopped {
		if len(l.pending) == 0 {
			i.changed.Wait()
			continue
		}
		call := l.pending[0]
		l.pending = l.pending[1:]
		i.mu.Unlock()
		calling.RLock()
		call()
		calling.RUnlock()
		i.mu.Lock()
	}
}
