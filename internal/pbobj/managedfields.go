package pbobj

// Cutter removes the managedFields from encoded objects: often half of their bytes
// and of the cost of decoding. It keeps scratch space, so it must not be used by
// several goroutines at a time.
type Cutter struct {
	kept []span // parts of the metadata to keep, in order
}

type span struct{ start, end int }

// CutManagedFields returns the object without its managedFields. It works in
// place: the result is a slice of object, whose bytes are changed. The metadata is at
// the start of the object, and managedFields near the end of the metadata, so it
// moves the short part before them toward the long rest.
//
// Objects that cannot be parsed are returned unchanged; Unmarshal reports the error.
func (c *Cutter) CutManagedFields(object []byte) []byte {
	tag, meta, ok := findMetadata(object)
	if !ok || !c.findKept(object, meta) {
		return object
	}
	to, length := meta.end, 0
	for i := len(c.kept) - 1; i >= 0; i-- {
		part := c.kept[i]
		to -= part.end - part.start
		length += part.end - part.start
		copy(object[to:], object[part.start:part.end])
	}
	to = putVarintBefore(object, to, uint64(length))
	to--
	object[to] = metadataField<<3 | byte(Bytes)
	to -= tag
	copy(object[to:], object[:tag])
	return object[to:]
}

// findMetadata returns the start of the first metadata field of an object, and the
// position of its content.
func findMetadata(object []byte) (tag int, meta span, ok bool) {
	for at := 0; at < len(object); {
		h, content, n, err := Next(object[at:])
		if err != nil {
			return 0, span{}, false
		}
		if h.Number == metadataField {
			return at, span{at + n - len(content), at + n}, h.Wire == Bytes
		}
		at += n
	}
	return 0, span{}, false
}

// findKept records the parts of the metadata to keep. It returns false if there is nothing
// to remove, or if the metadata is invalid.
func (c *Cutter) findKept(object []byte, meta span) (cuts bool) {
	c.kept = c.kept[:0]
	from := meta.start
	for at := meta.start; at < meta.end; {
		h, _, n, err := Next(object[at:meta.end])
		if err != nil {
			return false
		}
		if h.Number == managedFieldsField {
			cuts = true
			if at > from {
				c.kept = append(c.kept, span{from, at})
			}
			from = at + n
		}
		at += n
	}
	if meta.end > from {
		c.kept = append(c.kept, span{from, meta.end})
	}
	return cuts
}
