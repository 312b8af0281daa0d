package reads

import (
	"slices"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

// OwnWrites has the writes of one reconcile, and what it has read of the written
// objects, for sources that ignore own writes.
type OwnWrites struct {
	objects []ownObject
	// byObject finds the objects if there are more than maxWalk. It is nil otherwise.
	byObject map[object]int
}

// object identifies an object of a source.
type object struct {
	source any
	key    string
}

// ownObject is one object.
type ownObject struct {
	object

	// base is the version that all reads have seen that did not see a written version.
	// It is "" if there was no such read. mixed is set if they have seen several.
	baseUID, base string
	mixed         bool

	// sent is the version that the store had when the last write was sent.
	sent string

	// written are the versions that writes have returned, in their order, all of the
	// same UID and epoch. created is the one that a create has returned, "" if none has.
	uid     string
	epoch   int
	written []string
	created string
}

// find returns the position of an object, -1 if there is none.
func (o *OwnWrites) find(wanted object) int {
	if o.byObject != nil {
		if i, ok := o.byObject[wanted]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(o.objects, func(other ownObject) bool { return other.object == wanted })
}

func (o *OwnWrites) object(source any, key string) *ownObject {
	wanted := object{source, key}
	i := o.find(wanted)
	if i < 0 {
		i = len(o.objects)
		o.objects = append(o.objects, ownObject{object: wanted})
		switch {
		case o.byObject != nil:
			o.byObject[wanted] = i
		case len(o.objects) > maxWalk:
			o.index()
		}
	}
	return &o.objects[i]
}

// index makes byObject, if it is needed.
func (o *OwnWrites) index() {
	o.byObject = nil
	if len(o.objects) <= maxWalk {
		return
	}
	o.byObject = make(map[object]int, len(o.objects))
	for i := range o.objects {
		o.byObject[o.objects[i].object] = i
	}
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

// Sent records that a write is about to be sent, and the version that the store has.
func (o *OwnWrites) Sent(source any, key, version string) { o.object(source, key).sent = version }

// Wrote records a write, unless it has changed nothing. A version that was read, or that
// the store had before, is not the result of the write.
func (o *OwnWrites) Wrote(source any, key, uid, version string, epoch int, created bool) {
	obj := o.object(source, key)
	if obj.base == version || obj.sent == version || slices.Contains(obj.written, version) {
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
	o.index()
	return len(o.objects) > 0
}

// isOwn reports whether a change is the result of one of the writes alone.
func (o *OwnWrites) isOwn(c *Change) bool {
	i := o.find(c.object())
	return i >= 0 && o.objects[i].isOwn(c)
}

// forget drops the record of an object if a change has passed its last written version,
// and reports whether it has no record of it now.
func (o *OwnWrites) forget(c *Change) bool {
	i := o.find(c.object())
	if i >= 0 && !o.objects[i].passedBy(c) {
		return false
	}
	o.drop(c.object())
	return true
}

// drop drops the record of an object.
func (o *OwnWrites) drop(dropped object) {
	i := o.find(dropped)
	if i < 0 {
		return
	}
	last := len(o.objects) - 1
	if o.byObject != nil {
		o.byObject[o.objects[last].object] = i
		delete(o.byObject, dropped)
	}
	o.objects[i], o.objects[last] = o.objects[last], ownObject{}
	o.objects = o.objects[:last]
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
