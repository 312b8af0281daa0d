package pbobj

// Cutter takes the managedFields out of objects: often half of their bytes, and
// of their cost. It keeps scratch, so it is for one goroutine at a time.
type Cutter struct {
	kept []span // parts of the metadata that stay, in order
}

type span struct{ start, end int }

// CutManagedFields returns the object without its managedFields. It works in
// place: the result is a part of object, the bytes of which are changed.
// managedFields are near the end of the metadata, and the metadata is at the
// start of the object, so it is the little before them that is moved, toward
// the large rest behind.
//
// What is not understood is left as it is, for Unmarshal to judge.
func (c *Cutter) CutManagedFields(object []byte) []byte {
	tag, meta, ok := findMetadata(object)
	if !ok || !c.keep(object, meta) {
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

// findMetadata says where the first metadata field of an object begins, and
// where its content is.
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

// keep notes what stays of the metadata. It is false when that is everything,
// or when the metadata makes no sense.
func (c *Cutter) keep(object []byte, meta span) (cuts bool) {
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
