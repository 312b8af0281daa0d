package indexer

// bitset is a set of slots.
type bitset []uint64

func (b bitset) has(slot uint32) bool {
	i := int(slot >> 6)
	return i < len(b) && b[i]>>(slot&63)&1 == 1
}

func (b *bitset) set(slot uint32) {
	i := int(slot >> 6)
	for i >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i] |= 1 << (slot & 63)
}
