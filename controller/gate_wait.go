package controller

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/resourceversion"
	"github.com/thinformer/thinformer/rest"
)

// wait is the wait for one informer to observe one write.
type wait struct {
	written  rest.WriteInfo
	informer *trackedInformer
	// key is the key of the object in the informer.
	key string
	// uid is the UID of the written object, "" if not known. It is known for every
	// kind except untilVersion.
	uid  types.UID
	kind waitKind
	// after is the version that the informer must reach before the absence of the
	// object means anything: before that the object may not have been received yet. It
	// is empty if no such version is known.
	after string
	// epoch is the informer's epoch in the namespace at the time of the write. In another epoch the
	// version has no meaning.
	epoch int
	// unlisted is set when a list with the informer's selectors does not include the
	// object. The wait then ends when the store does not have the object either.
	unlisted atomic.Bool

	// The fields below are guarded by gate.mu. heldKey is the key that waits, set when
	// the reconcile has ended. done is set when the wait has ended.
	heldKey *heldKey
	done    bool
	// arrived, if not nil, is closed when the wait has ended. It is the wait of a read,
	// without a heldKey.
	arrived chan struct{}
	// listed is set when such a list includes the object: the informer is late.
	// queryErr is the error of the list.
	listed   bool
	queryErr error
}

// waitKind is the state of the informer that ends a wait.
type waitKind uint8

const (
	// untilVersion waits for the written version of the object, or a later one.
	untilVersion waitKind = iota
	// untilDeleted waits for the deletion of the object.
	untilDeleted
	// untilExcluded waits for the removal of an object that the informer's selectors
	// exclude after the write. A later version of the object also ends the wait, since
	// another write may have made the selectors match again.
	untilExcluded
)

// copyFor returns a copy of the wait for another run, which tracks the informer as p.
func (w *wait) copyFor(p *trackedInformer) *wait {
	other := &wait{written: w.written, informer: p, key: w.key, uid: w.uid, kind: w.kind, after: w.after, epoch: w.epoch}
	other.unlisted.Store(w.unlisted.Load())
	return other
}

// version returns the version that the informer must reach, empty if none.
func (w *wait) version() string {
	if w.kind == untilVersion {
		return w.written.ResourceVersion
	}
	return w.after
}

// raiseAfter records that the object is known to have had a version.
func (w *wait) raiseAfter(version string) {
	if resourceversion.HasOrder(version) && !resourceversion.IsAtLeast(w.after, version) {
		w.after = version
	}
}

// newWaits returns the waits for a write. There are none if no informer of the
// controller covers the object, or if the response does not say what to wait for: that
// of a deletecollection, or a lost response, which is an error for the reconcile.
func (g *gate) newWaits(written rest.WriteInfo) []*wait {
	if written.Name == "" {
		return nil
	}
	var waits []*wait
	for _, p := range g.tracked() {
		if !p.covers(written) {
			continue
		}
		w := &wait{written: written, informer: p, key: keyOf(written.Namespace, written.Name), uid: written.UID}
		if _, w.epoch = p.shared.VersionIn(written.Namespace); w.epoch < 0 {
			continue // the namespace was removed from the informer meanwhile
		}
		switch {
		case written.Deleted, written.Verb == "delete" && written.ResourceVersion == "":
			w.kind = untilDeleted
			if w.uid == "" {
				w.uid, _, _ = p.find(w.key) // the object that was deleted
			}
			if w.uid == "" {
				continue
			}
			w.raiseAfter(written.ResourceVersion) // a version that the object had before the deletion
		case written.ResourceVersion == "":
			continue
		case w.uid != "" && p.shared.Excludes(written.Namespace, written.Name, written.Labels):
			w.kind = untilExcluded
		}
		waits = append(waits, w)
	}
	return waits
}

func keyOf(namespace, name string) string { return Request{Namespace: namespace, Name: name}.String() }

// seen reports whether the informer has reached the state that is waited for. gate.mu
// is not held.
func (w *wait) seen() bool {
	// at is read before the store, which may advance meanwhile.
	at, _ := w.informer.shared.VersionIn(w.written.Namespace)
	uid, version, found := w.informer.find(w.key)
	gone := !found || w.uid != "" && uid != w.uid
	written := w.written.ResourceVersion
	switch {
	case gone && w.unlisted.Load():
		return true
	case gone && w.kind != untilVersion && (w.after == "" || resourceversion.IsAtLeast(at, w.after)):
		return true
	case w.kind != untilDeleted && (found && resourceversion.IsAtLeast(version, written) || resourceversion.IsAtLeast(at, written)):
		return true
	}
	_, epoch := w.informer.shared.VersionIn(w.written.Namespace)
	return epoch != w.epoch
}

// mergeWaits adds the waits for another write. If several versions of one object were
// written, only the latest counts, in whatever order goroutines report their writes. A
// deletion is waited for in addition, after those versions: the absence of the object
// proves nothing before its creation was observed.
func mergeWaits(waits []*wait, more []*wait) []*wait {
	for _, w := range more {
		index := -1
		for i, old := range waits {
			switch {
			case old.informer != w.informer || old.key != w.key:
			case old.kind == untilDeleted && w.kind == untilDeleted:
			case old.kind == untilDeleted:
				old.raiseAfter(w.version())
			case w.kind == untilDeleted:
				w.raiseAfter(old.version())
			case old.kind == w.kind && w.kind == untilVersion || old.uid == w.uid:
				index = i
			}
		}
		if index < 0 {
			waits = append(waits, w)
		} else {
			waits[index] = laterWait(waits[index], w)
		}
	}
	return waits
}

// laterWait returns that of two waits for one object that has the later version.
func laterWait(a, b *wait) *wait {
	if resourceversion.IsAtLeast(a.written.ResourceVersion, b.written.ResourceVersion) {
		a, b = b, a
	}
	if b.kind == untilExcluded {
		b.raiseAfter(a.version())
	}
	return b
}
