package controller

import (
	"container/heap"
	"context"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// follower is what the gate asks of a SharedInformer, whatever its type.
type follower interface {
	informer.AnyInformer
	ResourceInfo() rest.ResourceInfo
	InNamespace() string
	Version() string
	WaitForVersion(ctx context.Context, version string) error
}

var _ follower = (*informer.SharedInformer[*rest.SlimMeta])(nil)

// A place is an informer of the controller, and who waits for it to see
// something.
type place struct {
	gate *gate
	inf  follower
	// waiting is how many do: while it is 0, an event costs no more than to look
	// at this. It is counted up before the store is asked whether there is
	// anything to wait for.
	waiting atomic.Int32

	// These belong to the gate's lock.

	// byKey are who waits, by the key of the object.
	byKey map[string][]*wait
	// byVersion are those for whom the informer has to get to a version, and has
	// not, the earliest first, and such as no longer wait.
	byVersion versionHeap
	// following: a goroutine waits for the informer; again has it look again what
	// to wait for, and until is the version that it waits for.
	following bool
	again     context.CancelFunc
	until     string
}

// shows reports whether the object that was written is one that the informer may
// show. Another version of its API is the same object.
func (p *place) shows(w rest.Written) bool {
	if p.inf.ResourceInfo().GroupResource() != w.Resource.GroupResource() {
		return false
	}
	namespace := p.inf.InNamespace()
	return namespace == "" || namespace == w.Namespace
}

func (p *place) find(key string) (uid types.UID, version string, found bool) {
	obj, found := p.inf.Object(key)
	if !found {
		return "", "", false
	}
	typed := obj.(rest.Object)
	return typed.GetUID(), typed.GetResourceVersion(), true
}

// saw is told of every event of the informer, when the store has it.
func (p *place) saw(obj rest.Object) {
	if p.waiting.Load() > 0 {
		p.gate.look(p, keyOf(obj.GetNamespace(), obj.GetName()))
	}
}

// add and remove keep byKey and byVersion.
func (p *place) add(w *wait) {
	if p.byKey == nil {
		p.byKey = map[string][]*wait{}
	}
	p.waiting.Add(1)
	p.byKey[w.key] = append(p.byKey[w.key], w)
	if hasOrder(w.version()) {
		heap.Push(&p.byVersion, w)
	}
}

func (p *place) remove(w *wait) {
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
	p.clean()
}

// upTo takes those from byVersion whose version is this one, or an earlier one.
func (p *place) upTo(version string) (waits []*wait) {
	for len(p.byVersion) > 0 && atLeast(version, p.byVersion[0].version()) {
		waits = append(waits, heap.Pop(&p.byVersion).(*wait))
	}
	return waits
}

// clean takes those from the top of byVersion who no longer wait.
func (p *place) clean() {
	for len(p.byVersion) > 0 && p.byVersion[0].over {
		heap.Pop(&p.byVersion)
	}
}

// versionHeap is a heap of versions that have an order.
type versionHeap []*wait

func (h versionHeap) Len() int { return len(h) }
func (h versionHeap) Less(i, j int) bool {
	return !atLeast(h[i].version(), h[j].version())
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
