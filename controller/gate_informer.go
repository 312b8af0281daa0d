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
	Covers(namespace string) bool
	VersionIn(namespace string) (version string, epoch int)
	WaitForVersion(ctx context.Context, version string) error
	WaitForVersionIn(ctx context.Context, namespace, version string) error
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
	// followers hold the waits for versions, by namespace for an informer of several
	// namespaces, else under "". A follower remains as long as there are waits.
	followers map[string]*follower
	// leftOut holds, by key, the objects that the informer's selectors excluded
	// according to the last query.
	leftOut map[string]types.UID
}

// follower waits for the versions of an informer in one namespace, or of the whole
// informer. Its fields are guarded by gate.mu.
type follower struct {
	informer *trackedInformer
	// namespace is "" for the whole informer.
	namespace string
	// waiting is the number of waits.
	waiting int
	// byVersion holds the waits for a version, earliest first. It may contain waits
	// that have ended.
	byVersion versionHeap
	// following is set while a goroutine waits for the informer. cancelWait makes it
	// select a new version. awaited is the version that it waits for.
	following  bool
	cancelWait context.CancelFunc
	awaited    string
}

// hasNamespaces reports whether each namespace of the informer has a version of its own.
func (p *trackedInformer) hasNamespaces() bool {
	return p.shared.ScopedNamespace() == "" && !p.shared.Covers("")
}

// followerOf returns the follower of a wait.
func (p *trackedInformer) followerOf(w *wait) *follower {
	namespace := ""
	if p.hasNamespaces() {
		namespace = w.written.Namespace
	}
	f := p.followers[namespace]
	if f == nil {
		f = &follower{informer: p, namespace: namespace}
		if p.followers == nil {
			p.followers = map[string]*follower{}
		}
		p.followers[namespace] = f
	}
	return f
}

// waitForVersion waits until the informer has reached a version.
func (f *follower) waitForVersion(ctx context.Context, version string) error {
	if f.namespace == "" {
		return f.informer.shared.WaitForVersion(ctx, version)
	}
	return f.informer.shared.WaitForVersionIn(ctx, f.namespace, version)
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
	return p.shared.Covers(w.Namespace)
}

func (p *trackedInformer) find(key string) (uid types.UID, version string, found bool) {
	obj, found := p.shared.Object(key)
	if !found {
		return "", "", false
	}
	typed := obj.(rest.Object)
	return typed.GetUID(), typed.GetResourceVersion(), true
}

// observe is called for every event of the informer, after the store has changed. p is
// nil if the source was removed before it was attached.
func (p *trackedInformer) observe(obj rest.Object) {
	if p != nil && p.waiting.Load() > 0 {
		p.gate.checkObject(p, keyOf(obj.GetNamespace(), obj.GetName()))
	}
}

// add and remove update byKey and the follower.
func (p *trackedInformer) add(w *wait) {
	if p.byKey == nil {
		p.byKey = map[string][]*wait{}
	}
	p.waiting.Add(1)
	p.byKey[w.key] = append(p.byKey[w.key], w)
	f := p.followerOf(w)
	f.waiting++
	if resourceversion.HasOrder(w.version()) {
		heap.Push(&f.byVersion, w)
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
	f := p.followerOf(w)
	f.waiting--
	f.dropEnded()
	if f.waiting == 0 && !f.following {
		delete(p.followers, f.namespace)
	}
}

// popUpTo removes and returns the waits for this version or an earlier one.
func (f *follower) popUpTo(version string) (waits []*wait) {
	for len(f.byVersion) > 0 && resourceversion.IsAtLeast(version, f.byVersion[0].version()) {
		waits = append(waits, heap.Pop(&f.byVersion).(*wait))
	}
	return waits
}

// dropEnded removes ended waits from the top of byVersion.
func (f *follower) dropEnded() {
	for len(f.byVersion) > 0 && f.byVersion[0].done {
		heap.Pop(&f.byVersion)
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
