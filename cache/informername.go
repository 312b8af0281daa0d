package cache

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// informerNames are the names that are taken. They belong to the process, as the
// series of metrics do that are told apart by them.
var informerNames = nameRegistry{taken: map[string]*InformerName{}}

// A nameRegistry sees to it that no name is taken twice, and no resource under
// one name.
type nameRegistry struct {
	mu sync.Mutex
	// taken has the names that are reserved, and no other.
	taken map[string]*InformerName
}

// InformerName tells the informers of one factory from those of others in the
// process, for metrics. NewInformerName makes one. A nil one reserves nothing.
type InformerName struct {
	name string
	// resources are those that this name is used for, guarded by informerNames.
	resources map[schema.GroupVersionResource]*atomic.Bool
}

// NewInformerName reserves a name until Release. One that is reserved already,
// or is empty, is an error.
func NewInformerName(name string) (*InformerName, error) {
	if name == "" {
		return nil, fmt.Errorf("reserving the name of an informer: it is empty")
	}
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	if informerNames.taken[name] != nil {
		return nil, fmt.Errorf("reserving the name %q of an informer: it is taken", name)
	}
	n := &InformerName{name: name, resources: map[schema.GroupVersionResource]*atomic.Bool{}}
	informerNames.taken[name] = n
	return n, nil
}

// Name is the name; that of a nil InformerName is empty.
func (n *InformerName) Name() string {
	if n == nil {
		return ""
	}
	return n.name
}

// WithResource is what identifies the informer of a resource. Only the first of
// a resource is reserved; that another one is not is logged.
func (n *InformerName) WithResource(gvr schema.GroupVersionResource) InformerNameAndResource {
	if n == nil {
		return InformerNameAndResource{gvr: gvr}
	}
	reserved, again := n.reserve(gvr)
	if again {
		loggerOf(nil).Warn("two informers of one resource have the same name: the second has no metrics",
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

// Release gives the name back, for somebody else to reserve. From then on, no
// identity that was made of it is reserved. A second time does nothing.
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
	// reserved is nil where it has never been.
	reserved *atomic.Bool
}

// Reserved reports whether this identity is still its informer's own. A metric
// that is not reserved is to be left alone: its series may be somebody else's by
// now.
func (n InformerNameAndResource) Reserved() bool {
	return n.reserved != nil && n.reserved.Load()
}

// Name is the name of the informer.
func (n InformerNameAndResource) Name() string { return n.name }

// GroupVersionResource is what the informer holds.
func (n InformerNameAndResource) GroupVersionResource() schema.GroupVersionResource { return n.gvr }

// ResetInformerNamesForTesting releases every name of the process.
func ResetInformerNamesForTesting() {
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	for _, n := range informerNames.taken {
		informerNames.release(n)
	}
}
