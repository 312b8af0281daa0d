package controller

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/thinformer/thinformer/rest"
)

// A wait is for one informer to have seen what one write has left.
type wait struct {
	written rest.Written
	place   *place
	// key is the object's in the informer.
	key string
	// uid is of what was deleted: then it is waited for that it is gone. Else it
	// is waited for the written version, or a later one.
	uid types.UID
	// after is how far the informer has to be before it means anything that what
	// was deleted is not there: else it may not have come yet. Empty: no such
	// version is known.
	after string
	// epoch is the informer's when the write was told. In another one nobody can
	// say what the version means.
	epoch int

	// hold is who waits, set when the reconcile has ended, and over says that
	// nobody does any more. Both belong to the gate's lock.
	hold *hold
	over bool
}

// deletion: it is waited for the object to be gone.
func (w *wait) deletion() bool { return w.uid != "" }

// version is the one that the informer has to get to, empty if it does not matter.
func (w *wait) version() string {
	if w.deletion() {
		return w.after
	}
	return w.written.ResourceVersion
}

// notBefore: the object is known to have had this version.
func (w *wait) notBefore(version string) {
	if hasOrder(version) && !atLeast(w.after, version) {
		w.after = version
	}
}

// waitsFor are what has to be seen of a write, by whom. There are none if no
// informer of the controller shows the object, or if the answer does not say
// what is to be waited for: that of a deletecollection, or one that was lost,
// which is an error for the reconcile.
func (g *gate) waitsFor(written rest.Written) []*wait {
	if written.Name == "" {
		return nil
	}
	var waits []*wait
	for _, p := range g.places {
		if !p.shows(written) {
			continue
		}
		w := &wait{written: written, place: p, key: keyOf(written.Namespace, written.Name), epoch: p.inf.State().Epoch}
		if written.Gone || written.Verb == "delete" && written.ResourceVersion == "" {
			if w.uid = written.UID; w.uid == "" {
				w.uid, _, _ = p.find(w.key) // what was there to be deleted
			}
			if w.uid == "" {
				continue
			}
			w.notBefore(written.ResourceVersion) // of what is gone, one that it had
		} else if written.ResourceVersion == "" {
			continue
		}
		waits = append(waits, w)
	}
	return waits
}

func keyOf(namespace, name string) string { return Request{Namespace: namespace, Name: name}.String() }

// seen reports whether the informer has what is waited for. The lock of the gate
// is not held.
func (w *wait) seen() bool {
	at := w.place.inf.Version() // first: the store may get on meanwhile
	uid, version, found := w.place.find(w.key)
	switch {
	case w.deletion():
		if (!found || uid != w.uid) && (w.after == "" || atLeast(at, w.after)) {
			return true
		}
	case found && atLeast(version, w.written.ResourceVersion), atLeast(at, w.written.ResourceVersion):
		return true
	}
	return w.place.inf.State().Epoch != w.epoch
}

// with adds the waits for another write. Of the versions of one object the last
// one counts, whatever the order in which two goroutines tell of theirs. A
// deletion is waited for besides, and not before those: that the object is not
// there means nothing before its creation has been seen.
func with(waits []*wait, more []*wait) []*wait {
	for _, w := range more {
		newest := -1
		for i, old := range waits {
			switch {
			case old.place != w.place || old.key != w.key:
			case old.deletion() && !w.deletion():
				old.notBefore(w.version())
			case w.deletion() && !old.deletion():
				w.notBefore(old.version())
			case !w.deletion():
				newest = i
			}
		}
		switch {
		case newest < 0:
			waits = append(waits, w)
		case !atLeast(waits[newest].version(), w.version()):
			waits[newest] = w
		}
	}
	return waits
}

// atLeast: version a is b or a later one. Of two without an order only the same
// one is.
func atLeast(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	if err != nil {
		return a == b
	}
	return order >= 0
}

// hasOrder says whether a version can be compared with others.
func hasOrder(version string) bool {
	_, err := resourceversion.CompareResourceVersion(version, "1")
	return err == nil
}
