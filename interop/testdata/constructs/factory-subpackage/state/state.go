// Package state has the informers of the program.
package state

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// State has an informer for each kind.
type State struct {
	Pods, Nodes cache.SharedIndexInformer
}

// New requests all informers from a factory.
func New(factory informers.SharedInformerFactory) *State {
	return &State{Pods: factory.Core().V1().Pods().Informer(), Nodes: factory.Core().V1().Nodes().Informer()}
}

// Wait waits for all informers.
func (s *State) Wait(ctx context.Context) bool {
	return cache.WaitForCacheSync(ctx.Done(), s.Pods.HasSynced, s.Nodes.HasSynced)
}
