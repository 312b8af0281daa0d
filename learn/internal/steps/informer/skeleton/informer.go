// Package informer is step 9 of the course: the shared informer with its loop.
package informer

import "github.com/thinformer/thinformer/learn/internal/stack"

// NewInformer returns an informer. Run pops changes from the queue, applies them to the
// indexer, and then notifies each handler. A handler has a goroutine and a list of
// waiting notifications of its own, so that no handler delays anything else.
func NewInformer(queue stack.Queue, indexer stack.Indexer) stack.Informer {
	return nil
}
