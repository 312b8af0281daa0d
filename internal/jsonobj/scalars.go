package jsonobj

import (
	"fmt"
	"strconv"
	"unsafe"
)

// textAt reads the string at i: its text, which is valid until the next string
// is read, and the offset after it.
func (d *Decoder) textAt(i int) ([]byte, int) {
	data := d.data
	if i >= len(data) {
		return nil, d.failShort()
	}
	if data[i] != '"' {
		return nil, d.typeMismatch(i, "a string")
	}
	if end := plainEnd(data, i+1); end < len(data) && data[end] == '"' {
		return data[i+1 : end], end + 1
	}
	text, grown, next, err := unquote(data, i, d.text)
	if err != nil {
		return nil, d.fail(err)
	}
	d.text = grown
	return text, next
}

// keyAt reads the key at i and skips the colon.
func (d *Decoder) keyAt(i int) ([]byte, int) {
	if i < len(d.data) && d.data[i] != '"' {
		return nil, d.fail(unexpected(d.data, i, "a key"))
	}
	name, i := d.textAt(i)
	if i < 0 {
		return nil, -1
	}
	return name, d.skipColon(i)
}

// share returns string(b), shared if possible.
func (d *Decoder) share(b []byte) string {
	if d.Strings == nil {
		return string(b)
	}
	return d.Strings.Get(b)
}

func (d *Decoder) stringValue(n *node, dst unsafe.Pointer, i int) int {
	text, i := d.textAt(i)
	if i < 0 {
		return -1
	}
	if n.noShare {
		*(*string)(dst) = string(text)
	} else {
		*(*string)(dst) = d.share(text)
	}
	return i
}

func (d *Decoder) boolValue(dst unsafe.Pointer, i int) int {
	word := "true"
	switch d.data[i] {
	case 't':
	case 'f':
		word = "false"
	default:
		return d.typeMismatch(i, "bool")
	}
	end, err := literal(d.data, i, word)
	if err != nil {
		return d.fail(err)
	}
	*(*bool)(dst) = word == "true"
	return end
}

// number checks the number at i and returns the offset after it, and whether it is
// whole. A number at the end of the data may continue.
func number(data []byte, i int) (end int, whole bool, err error) {
	digits := func() error {
		first := i
		for i < len(data) && '0' <= data[i] && data[i] <= '9' {
			i++
		}
		if i == first && i < len(data) {
			return unexpected(data, i, "a digit")
		}
		return nil
	}
	if data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if err := digits(); err != nil {
		return 0, false, err
	}
	whole = true
	if i < len(data) && data[i] == '.' {
		whole = false
		i++
		if err := digits(); err != nil {
			return 0, false, err
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		whole = false
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if err := digits(); err != nil {
			return 0, false, err
		}
	}
	if i >= len(data) {
		return 0, false, ErrShort
	}
	return i, whole, nil
}

// shortInt reads a whole number of at most 18 digits, the common case. ok is false
// for any other number.
func shortInt(data []byte, i int) (v int64, end int, ok bool) {
	negative := data[i] == '-'
	if negative {
		i++
	}
	first := i
	for i < len(data) && i-first < 19 && '0' <= data[i] && data[i] <= '9' {
		v = v*10 + int64(data[i]-'0')
		i++
	}
	if i == first || i-first > 18 || i >= len(data) || data[first] == '0' && i-first > 1 {
		return 0, 0, false
	}
	if c := data[i]; c == '.' || c == 'e' || c == 'E' {
		return 0, 0, false
	}
	if negative {
		v = -v
	}
	return v, i, true
}

// bits returns the size of a number type.
func (m decodeMode) bits() int {
	switch m {
	case asInt8, asUint8:
		return 8
	case asInt16, asUint16:
		return 16
	case asInt32, asUint32, asFloat32:
		return 32
	case asInt, asUint:
		return strconv.IntSize
	}
	return 64
}

func (d *Decoder) intValue(n *node, dst unsafe.Pointer, i int) int {
	v, end, ok := shortInt(d.data, i)
	if size := n.mode.bits(); !ok || v<<(64-size)>>(64-size) != v {
		var text string
		if text, end = d.numberText(n, i); end < 0 {
			return -1
		}
		var err error
		if v, err = strconv.ParseInt(text, 10, size); err != nil {
			return d.fail(&ValueError{Offset: i, Want: n.typ.String(), Got: describeNumber(text)})
		}
	}
	switch n.mode {
	case asInt8:
		*(*int8)(dst) = int8(v)
	case asInt16:
		*(*int16)(dst) = int16(v)
	case asInt32:
		*(*int32)(dst) = int32(v)
	case asInt64:
		*(*int64)(dst) = v
	default:
		*(*int)(dst) = int(v)
	}
	return end
}

func (d *Decoder) uintValue(n *node, dst unsafe.Pointer, i int) int {
	text, end := d.numberText(n, i)
	if end < 0 {
		return -1
	}
	v, err := strconv.ParseUint(text, 10, n.mode.bits())
	if err != nil {
		return d.fail(&ValueError{Offset: i, Want: n.typ.String(), Got: describeNumber(text)})
	}
	switch n.mode {
	case asUint8:
		*(*uint8)(dst) = uint8(v)
	case asUint16:
		*(*uint16)(dst) = uint16(v)
	case asUint32:
		*(*uint32)(dst) = uint32(v)
	case asUint64:
		*(*uint64)(dst) = v
	default:
		*(*uint)(dst) = uint(v)
	}
	return end
}

func (d *Decoder) floatValue(n *node, dst unsafe.Pointer, i int) int {
	text, end := d.numberText(n, i)
	if end < 0 {
		return -1
	}
	v, err := strconv.ParseFloat(text, n.mode.bits())
	if err != nil {
		return d.fail(&ValueError{Offset: i, Want: n.typ.String(), Got: describeNumber(text)})
	}
	if n.mode == asFloat32 {
		*(*float32)(dst) = float32(v)
	} else {
		*(*float64)(dst) = v
	}
	return end
}

// describeNumber describes a number in an error. It truncates long numbers.
func describeNumber(text string) string {
	if len(text) > 32 {
		return fmt.Sprintf("the number %s... of %d bytes", text[:32], len(text))
	}
	return "the number " + text
}

// numberText returns the text of the number at i, and the offset after it.
func (d *Decoder) numberText(n *node, i int) (string, int) {
	if KindOf(d.data[i]) != Number {
		return "", d.typeMismatch(i, n.typ.String())
	}
	end, _, err := number(d.data, i)
	if err != nil {
		return "", d.fail(err)
	}
	return string(d.data[i:end]), end
}
