package reflector

import (
	"fmt"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/internal/resourceversion"
	"github.com/thinformer/thinformer/listwatch"
	"k8s.io/apimachinery/pkg/watch"
)

// versionOrder tracks whether the versions of a source are ordered. While they
// are not, the machine does not compare them: every event passes, a list is
// accepted immediately, and a watch is resumed without a check.
type versionOrder struct {
	// declared is what the source declares.
	declared listwatch.VersionOrder
	// bookmarkSeen: a watch has delivered a bookmark with a version.
	bookmarkSeen bool
	// contradiction is the first evidence against the order, "" if there is
	// none. It is never cleared.
	contradiction string
	// eventSeen: the open watch has delivered an event. lastVersion is the
	// version of the newest one.
	eventSeen   bool
	lastVersion string
}

// orderOf returns the order that a source declares.
func orderOf(source any) listwatch.VersionOrder {
	if o, ok := source.(listwatch.VersionOrderer); ok && !nilcheck.IsNilPointer(source) {
		return o.VersionOrder()
	}
	return listwatch.Ordered
}

// isOrdered reports whether the versions are ordered.
func (o *versionOrder) isOrdered() bool {
	switch {
	case o.declared == listwatch.Ordered:
		return true
	case o.contradiction != "":
		return false
	}
	return o.declared == listwatch.PresumedOrdered || o.bookmarkSeen
}

// unorderedReason returns why the versions are not ordered, "" if they are.
func (o *versionOrder) unorderedReason() string {
	switch {
	case o.isOrdered():
		return ""
	case o.contradiction != "":
		return o.contradiction
	}
	return "the source does not declare an order, and no watch has delivered a bookmark with a version"
}

// watchOpened records that the next event is the first of a watch.
func (o *versionOrder) watchOpened() { o.eventSeen, o.lastVersion = false, "" }

// observe records an event of the open watch, and reports whether its version
// may be compared. An event that is not above the one before it ends the order
// permanently. A bookmark may repeat a version, since it reports no change.
func (o *versionOrder) observe(in input) bool {
	if o.declared == listwatch.Ordered {
		return true
	}
	if in.kind == inputSkipped && in.version == "" {
		return o.isOrdered() // the version of an undecodable object may be unreadable
	}
	if o.eventSeen && o.contradiction == "" && !o.isAfterLast(in) {
		o.contradiction = fmt.Sprintf("an event of version %.40q followed one of version %.40q", in.version, o.lastVersion)
		return false
	}
	o.eventSeen, o.lastVersion = true, in.version
	ordered := o.isOrdered()
	o.bookmarkSeen = o.bookmarkSeen || in.eventType == watch.Bookmark && in.version != ""
	return ordered
}

// isAfterLast reports whether an event may follow the last one.
func (o *versionOrder) isAfterLast(in input) bool {
	order, ok := resourceversion.Compare(in.version, o.lastVersion)
	if in.eventType == watch.Bookmark {
		return ok && order >= 0
	}
	return ok && order > 0
}
