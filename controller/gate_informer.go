package controller

import (
	"container/heap"
	"context"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/resourceversion"
	"github.com/thinformer/thinformer/rest"
)

// sharedInformer is the part of SharedInformer that the gate uses, independent of its
// type parameter.
type sharedInformer interface {
	informer.AnyInformer
	ResourceInfo() rest.ResourceInfo
	ScopedNamespace() string
	Host() string
	Excludes(namespace, name string, labels map[string]string) bool
	ListedByServer(ctx context.Context, namespace, name, version string) (bool, error)
	Version() string
	WaitForVersion(ctx context.Context, version string) error
}

var _ sharedInformer = (*informer.SharedInformer[*rest.SlimMeta])(nil)

// trackedInformer is an informer of the controller with the waits for it.
type trackedInformer struct {
	gate   *gate
	shared sharedInformer
	// waiting is the number of waits. While it is 0, an event costs only this load. It
	// is incremented before the store is checked.
	waiting atomic.Int32

	// The fields below are guarded by gate.mu.

	// removed: the controller no longer watches the informer, and nothing waits for it.
	removed bool
	// byKey holds the waits by the key of the object.
	byKey map[string][]*wait
	// byVersion holds the waits for a version, earliest first. It may contain waits
	// that have ended.
	byVersion versionHeap
	// leftOut holds, by key, the objects that the informer's selectors excluded
	// according to the last query.
	leftOut map[string]types.UID
	// following is set while a goroutine waits for the informer. cancelWait makes it
	// select a new version. awaited is the version that it waits for.
	following  bool
	cancelWait context.CancelFunc
	awaited    string
}

// covers reports whether the informer may store the written object. Versions of one
// API are the same object. Objects of different servers are different.
func (p *trackedInformer) covers(w rest.WriteInfo) bool {
	if p.shared.ResourceInfo().GroupResource() != w.Resource.GroupResource() {
		return false
	}
	if host := p.shared.Host(); host != "" && w.Host != "" && host != w.Host {
		return false
	}
	namespace := p.shared.ScopedNamespace()
	return namespace == "" || namespace == w.Namespace
}

func (p *trackedInformer) find(key string) (uid types.UID, version string, found bool) {
	obj, found := p.shared.Object(key)
	if !found {
		return "", "", false
	}
	typed := obj.(rest.Object)
	return typed.GetUID(), typed.GetResourceVersion(), true
}

// observe is called for every event of the informer, after the store has changed.
func (p *trackedInformer) observe(obj rest.Object) {
	if p.waiting.Load() > 0 {
		p.gate.checkObject(p, keyOf(obj.GetNamespace(), obj.GetName()))
	}
}

// add and remove update byKey and byVersion.
func (p *trackedInformer) add(w *wait) {
	if p.byKey == nil {
		p.byKey = map[string][]*wait{}
	}
	p.waiting.Add(1)
	p.byKey[w.key] = append(p.byKey[w.key], w)
	if resourceversion.HasOrder(w.version()) {
		heap.Push(&p.byVersion, w)
	}
}

func (p *trackedInformer) remove(w *wait) {
	p.waiting.Add(-1)
	waits := p.byKey[w.key]
	for i := range waits {
		if waits[i] == w {
			waits[i] = waits[len(waits)-1]
			waits[len(waits)-1] = nil
			waits = waits[:len(waits)-1]
			break
		}
	}
	if len(waits) == 0 {
		delete(p.byKey, w.key)
	} else {
		p.byKey[w.key] = waits
	}
	p.dropEnded()
}

// popUpTo removes and returns the waits for this version or an earlier one.
func (p *trackedInformer) popUpTo(version string) (waits []*wait) {
	for len(p.byVersion) > 0 && resourceversion.IsAtLeast(version, p.byVersion[0].version()) {
		waits = append(waits, heap.Pop(&p.byVersion).(*wait))
	}
	return waits
}

// dropEnded removes ended waits from the top of byVersion.
func (p *trackedInformer) dropEnded() {
	for len(p.byVersion) > 0 && p.byVersion[0].done {
		heap.Pop(&p.byVersion)
	}
}

// versionHeap is a min-heap of waits whose versions can be compared.
type versionHeap []*wait

func (h versionHeap) Len() int { return len(h) }
func (h versionHeap) Less(i, j int) bool {
	return !resourceversion.IsAtLeast(h[i].version(), h[j].version())
}
func (h versionHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *versionHeap) Push(w any)   { *h = append(*h, w.(*wait)) }
func (h *versionHeap) Pop() any {
	last := len(*h) - 1
	w := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return w
}
