package reads

import (
	"slices"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

// OwnWrites has the writes of one reconcile, and what it has read of the written
// objects, for sources that ignore own writes.
type OwnWrites struct{ objects []ownObject }

// ownObject is one object.
type ownObject struct {
	source any
	key    string

	// base is the version that all reads have seen that did not see a written version.
	// It is "" if there was no such read. mixed is set if they have seen several.
	baseUID, base string
	mixed         bool

	// written are the versions that writes have returned, in their order, all of the
	// same UID and epoch. created is the one that a create has returned, "" if none has.
	uid     string
	epoch   int
	written []string
	created string
}

// find returns the position of an object, -1 if there is none.
func (o *OwnWrites) find(source any, key string) int {
	return slices.IndexFunc(o.objects, func(other ownObject) bool { return other.key == key && other.source == source })
}

func (o *OwnWrites) object(source any, key string) *ownObject {
	i := o.find(source, key)
	if i < 0 {
		i = len(o.objects)
		o.objects = append(o.objects, ownObject{source: source, key: key})
	}
	return &o.objects[i]
}

// Read records that the reconcile has read an object.
func (o *OwnWrites) Read(source any, key, uid, version string) {
	obj := o.object(source, key)
	switch {
	case slices.Contains(obj.written, version):
	case obj.base == "":
		obj.baseUID, obj.base = uid, version
	case obj.base != version || obj.baseUID != uid:
		obj.mixed = true
	}
}

// Wrote records a write, unless it has changed nothing.
func (o *OwnWrites) Wrote(source any, key, uid, version string, epoch int, created bool) {
	obj := o.object(source, key)
	if obj.base == version || slices.Contains(obj.written, version) {
		return
	}
	if obj.uid != uid || obj.epoch != epoch {
		obj.uid, obj.epoch, obj.written, obj.created = uid, epoch, nil, ""
	}
	obj.written = append(obj.written, version)
	if created {
		obj.created = version
	}
}

// wrote reports whether there are writes whose events may still come. It drops the
// reads of other objects.
func (o *OwnWrites) wrote() bool {
	o.objects = slices.DeleteFunc(o.objects, func(obj ownObject) bool { return len(obj.written) == 0 })
	return len(o.objects) > 0
}

// isOwn reports whether a change is the result of one of the writes alone.
func (o *OwnWrites) isOwn(c *Change) bool {
	i := o.find(c.Source, c.Key)
	return i >= 0 && o.objects[i].isOwn(c)
}

// forget drops the record of an object if a change has passed its last written version.
func (o *OwnWrites) forget(c *Change) {
	if i := o.find(c.Source, c.Key); i >= 0 && o.objects[i].passedBy(c) {
		o.objects = slices.Delete(o.objects, i, i+1)
	}
}

func (o *ownObject) isOwn(c *Change) bool {
	at := slices.Index(o.written, c.New)
	switch {
	case !c.MayBeOwn || at < 0 || c.UID != o.uid || c.Epoch != o.epoch:
		return false
	case c.Old == "":
		return c.New == o.created
	case c.OldUID != o.uid:
		return false
	}
	return !o.mixed && o.base != "" && o.baseUID == o.uid && c.Old == o.base || slices.Contains(o.written[:at], c.Old)
}

// passedBy reports whether no event of the writes can follow a change.
func (o *ownObject) passedBy(c *Change) bool {
	if len(o.written) == 0 || c.UID != o.uid {
		return false
	}
	last := o.written[len(o.written)-1]
	return c.Deleted || c.New == last || resourceversion.IsAtLeast(c.New, last)
}
