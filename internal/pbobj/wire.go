package pbobj

import (
	"errors"
	"fmt"
	"math"
)

// ErrShort says that the bytes end before what they began does. Of a stream
// that means: read more and try again.
var ErrShort = errors.New("the protobuf message is cut short")

// Wire is the form in which the content of a field is written.
type Wire byte

// The forms of proto2 that Kubernetes uses. Groups are not among them.
const (
	Varint  Wire = 0
	Fixed64 Wire = 1
	Bytes   Wire = 2
	Fixed32 Wire = 5
)

// Header is what stands before the content of a field.
type Header struct {
	Number int
	Wire   Wire
	// Length of the content that follows the header. The content of a Varint
	// is taken for a part of its header: it is in Value, and Length is 0.
	Length int
	Value  uint64
}

// ParseHeader reads the header at the start of data and says how many bytes it
// takes. The content need not be there: whether Length can be true is for the
// caller to judge.
func ParseHeader(data []byte) (h Header, n int, err error) {
	tag, n, err := varint(data)
	if err != nil {
		return Header{}, 0, err
	}
	number := tag >> 3
	if number == 0 || number > math.MaxInt32>>2 {
		return Header{}, 0, fmt.Errorf("a protobuf field has the number %d", number)
	}
	h = Header{Number: int(number), Wire: Wire(tag & 7)}
	switch h.Wire {
	case Fixed64:
		h.Length = 8
	case Fixed32:
		h.Length = 4
	case Varint, Bytes:
		value, more, err := varint(data[n:])
		if err != nil {
			return Header{}, 0, err
		}
		n += more
		if h.Wire == Varint {
			h.Value = value
		} else if value > math.MaxInt {
			return Header{}, 0, fmt.Errorf("protobuf field %d says it has %d bytes", h.Number, value)
		} else {
			h.Length = int(value)
		}
	default:
		return Header{}, 0, fmt.Errorf("protobuf field %d has the unknown form %d", h.Number, h.Wire)
	}
	return h, n, nil
}

// Next reads the field at the start of data, all of which must be there: its
// header, its content and how many bytes both take.
func Next(data []byte) (h Header, content []byte, n int, err error) {
	h, n, err = ParseHeader(data)
	if err != nil {
		return Header{}, nil, 0, err
	}
	if h.Length > len(data)-n {
		return Header{}, nil, 0, fmt.Errorf("%w: field %d says it has %d bytes, and %d are left", ErrShort, h.Number, h.Length, len(data)-n)
	}
	return h, data[n : n+h.Length : n+h.Length], n + h.Length, nil
}

// varint reads one number, at most ten bytes long.
func varint(data []byte) (value uint64, n int, err error) {
	if len(data) > 0 && data[0] < 0x80 {
		return uint64(data[0]), 1, nil
	}
	for n < len(data) {
		b := data[n]
		if n == 9 && b > 1 {
			return 0, 0, errors.New("a protobuf number does not fit into 64 bits")
		}
		value |= uint64(b&0x7f) << (7 * n)
		n++
		if b < 0x80 {
			return value, n, nil
		}
	}
	return 0, 0, ErrShort
}

// putVarintBefore writes value so that it ends at end, and returns where it
// begins.
func putVarintBefore(data []byte, end int, value uint64) (start int) {
	start = end - varintLen(value)
	for i := start; i < end; i++ {
		data[i] = byte(value) | 0x80
		value >>= 7
	}
	data[end-1] &= 0x7f
	return start
}

func varintLen(value uint64) int {
	n := 1
	for value >= 0x80 {
		value >>= 7
		n++
	}
	return n
}
