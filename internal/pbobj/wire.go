package pbobj

import (
	"errors"
	"fmt"
	"math"
)

// ErrShort reports that the bytes end within a field. For a stream, it means: read
// more and try again.
var ErrShort = errors.New("protobuf message is truncated")

// Wire is the wire type of a field.
type Wire byte

// The wire types of proto2 that Kubernetes uses. Groups are not among them.
const (
	Varint  Wire = 0
	Fixed64 Wire = 1
	Bytes   Wire = 2
	Fixed32 Wire = 5
)

// Header precedes the content of a field.
type Header struct {
	Number int
	Wire   Wire
	// Length of the content that follows the header. A Varint is part of its
	// header: it is in Value, and Length is 0.
	Length int
	Value  uint64
}

// ParseHeader parses the header at the start of data and returns its length. The
// content need not be available; the caller must check Length.
func ParseHeader(data []byte) (h Header, n int, err error) {
	tag, n, err := varint(data)
	if err != nil {
		return Header{}, 0, err
	}
	number := tag >> 3
	if number == 0 || number > math.MaxInt32>>2 {
		return Header{}, 0, fmt.Errorf("invalid protobuf field number %d", number)
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
			return Header{}, 0, fmt.Errorf("invalid length %[2]d of protobuf field %[1]d", h.Number, value)
		} else {
			h.Length = int(value)
		}
	default:
		return Header{}, 0, fmt.Errorf("protobuf field %d has the unknown wire type %d", h.Number, h.Wire)
	}
	return h, n, nil
}

// Next parses the field at the start of data: its header and its content. n is the
// length of both. The whole field must be available.
func Next(data []byte) (h Header, content []byte, n int, err error) {
	h, n, err = ParseHeader(data)
	if err != nil {
		return Header{}, nil, 0, err
	}
	if h.Length > len(data)-n {
		return Header{}, nil, 0, fmt.Errorf("%w: field %d has %d bytes, %d are left", ErrShort, h.Number, h.Length, len(data)-n)
	}
	return h, data[n : n+h.Length : n+h.Length], n + h.Length, nil
}

// varint parses a number of at most ten bytes.
func varint(data []byte) (value uint64, n int, err error) {
	if len(data) > 0 && data[0] < 0x80 {
		return uint64(data[0]), 1, nil
	}
	for n < len(data) {
		b := data[n]
		if n == 9 && b > 1 {
			return 0, 0, errors.New("protobuf number exceeds 64 bits")
		}
		value |= uint64(b&0x7f) << (7 * n)
		n++
		if b < 0x80 {
			return value, n, nil
		}
	}
	return 0, 0, ErrShort
}

// putVarintBefore encodes value so that it ends at end, and returns its start.
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
