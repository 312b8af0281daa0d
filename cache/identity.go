// The work is done by this file.

package cache

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/cache/internal/klogger"
)

// informerNames holds the reserved names. It is global because they identify
// metrics of the process.
var informerNames = nameRegistry{taken: map[string]*InformerName{}}

// nameRegistry ensures that a name is reserved at most once, and a resource at
// most once per name.
type nameRegistry struct {
	mu sync.Mutex
	// taken contains exactly the reserved names.
	taken map[string]*InformerName
}

// InformerName identifies the informers of one factory in metrics.
// NewInformerName returns one. A nil InformerName reserves nothing.
type InformerName struct {
	name string
	// resources are the resources that use this name. Guarded by
	// informerNames.mu.
	resources map[schema.GroupVersionResource]*atomic.Bool
}

// NewInformerName reserves a name until Release. It returns an error if the
// name is empty or already reserved.
func NewInformerName(name string) (*InformerName, error) {
	if name == "" {
		return nil, fmt.Errorf("reserving an informer name: the name is empty")
	}
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	if informerNames.taken[name] != nil {
		return nil, fmt.Errorf("reserving the informer name %q: it is already reserved", name)
	}
	n := &InformerName{name: name, resources: map[schema.GroupVersionResource]*atomic.Bool{}}
	informerNames.taken[name] = n
	return n, nil
}

// Name returns the name, or "" for a nil InformerName.
func (n *InformerName) Name() string {
	if n == nil {
		return ""
	}
	return n.name
}

// WithResource returns the identity of the informer of a resource. Only the
// first identity of a resource is reserved; for further ones a warning is
// logged.
func (n *InformerName) WithResource(gvr schema.GroupVersionResource) InformerNameAndResource {
	if n == nil {
		return InformerNameAndResource{gvr: gvr}
	}
	reserved, again := n.reserve(gvr)
	if again {
		klogger.FromOption(nil).Warn("Two informers of one resource have the same name; the second has no metrics",
			slog.String("informerName", n.name), slog.String("resource", gvr.String()))
	}
	return InformerNameAndResource{name: n.name, gvr: gvr, reserved: reserved}
}

func (n *InformerName) reserve(gvr schema.GroupVersionResource) (reserved *atomic.Bool, again bool) {
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	if informerNames.taken[n.name] != n {
		return nil, false
	}
	if n.resources[gvr] != nil {
		return nil, true
	}
	reserved = new(atomic.Bool)
	reserved.Store(true)
	n.resources[gvr] = reserved
	return reserved, false
}

// Release makes the name available again. Identities that were made from it are
// no longer reserved. A second call does nothing.
func (n *InformerName) Release() {
	if n == nil {
		return
	}
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	informerNames.release(n)
}

// release is called with mu held.
func (r *nameRegistry) release(n *InformerName) {
	if r.taken[n.name] != n {
		return
	}
	delete(r.taken, n.name)
	for _, reserved := range n.resources {
		reserved.Store(false)
	}
	clear(n.resources)
}

// InformerNameAndResource identifies an informer in the process. The zero value
// identifies none, and such an informer has no metrics.
type InformerNameAndResource struct {
	name string
	gvr  schema.GroupVersionResource
	// reserved is nil if the identity was never reserved.
	reserved *atomic.Bool
}

// Reserved reports whether the identity still belongs to its informer. Metrics
// of an identity that is not reserved must not be updated, because their series
// may belong to another informer.
func (n InformerNameAndResource) Reserved() bool {
	return n.reserved != nil && n.reserved.Load()
}

// Name returns the name of the informer.
func (n InformerNameAndResource) Name() string { return n.name }

// GroupVersionResource returns the resource of the informer.
func (n InformerNameAndResource) GroupVersionResource() schema.GroupVersionResource { return n.gvr }

// ResetInformerNamesForTesting releases every name of the process.
func ResetInformerNamesForTesting() {
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	for _, n := range informerNames.taken {
		informerNames.release(n)
	}
}
