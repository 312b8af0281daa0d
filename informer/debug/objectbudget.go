package debug

import "sync/atomic"

const (
	// smallObject is the size up to which objects are not counted.
	smallObject = 64 << 10
	// maxHeld is the number of bytes of larger objects that all answers together may
	// hold while their clients read them. An answer may always hold one object.
	maxHeld = 16 << 20
)

const tooMuchHeldMessage = "object not shown: slow clients hold too many large objects; try again in a minute"

// objectBudget counts the object that one answer holds while its client reads it.
type objectBudget struct {
	all  *atomic.Int64 // of the Handler
	held int64
}

// take replaces the held object by one of the given size, 0 for none. It returns
// false, and holds nothing, if all answers together would hold too much.
func (h *objectBudget) take(size int) bool {
	h.all.Add(-h.held)
	h.held = 0
	if size <= smallObject {
		return true
	}
	more := int64(size)
	if all := h.all.Add(more); all > maxHeld && all != more {
		h.all.Add(-more)
		return false
	}
	h.held = more
	return true
}
