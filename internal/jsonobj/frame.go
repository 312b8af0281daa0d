package jsonobj

import (
	"encoding/binary"
	"math/bits"
)

// Framer finds the end of a value that arrives in parts. It examines each byte once.
// It does not check JSON in full: strings must end, brackets must match, the depth is
// bounded, and outside strings only bytes are allowed that JSON has there.
//
// The zero value is ready to use, with a MaxDepth of 512.
type Framer struct {
	// MaxDepth bounds the nesting of arrays and objects, as for a Decoder.
	MaxDepth int

	state  frameState
	around int // number of open levels around the value
	depth  int // number of open levels within the value
	// low and rest have a bit for each open bracket, set for an object: low for the
	// first 64 levels, rest for deeper ones.
	low  uint64
	rest []uint64
	word string // the rest of a literal
	seen int    // bytes of the value before this part
}

// frameState is the state of a Framer.
type frameState uint8

const (
	before     frameState = iota // only white space has been read
	inside                       // between the tokens of an array or object
	inText                       // in a string
	inEscape                     // after a backslash
	inNumber                     // in a number that is the whole value
	inWord                       // in a literal that is the whole value
	afterValue                   // done
)

// Reset prepares the Framer for the next value.
func (f *Framer) Reset() {
	*f = Framer{MaxDepth: f.MaxDepth, rest: f.rest[:0]}
}

// Next processes the next part of the data. n is the number of its bytes that belong
// to the value, including white space before it: all of them, until done is set. A
// number that is the whole value ends at the byte after it. The error is a
// *SyntaxError, whose offset counts from the value's first part.
func (f *Framer) Next(part []byte) (n int, done bool, err error) {
	i := 0
	for i < len(part) && f.state != afterValue {
		switch f.state {
		case before:
			i, err = f.begin(part, i)
		case inside:
			i, err = f.tokens(part, i)
		case inText, inEscape:
			i = f.text(part, i)
		case inNumber:
			for i < len(part) && inNumbers(part[i]) {
				i++
			}
			if i < len(part) {
				f.state = afterValue
			}
		case inWord:
			i, err = f.literal(part, i)
		}
		if err != nil {
			err.(*SyntaxError).Offset += f.seen
			return i, false, err
		}
	}
	f.seen += i
	return i, f.state == afterValue, nil
}

func (f *Framer) begin(part []byte, i int) (int, error) {
	if i = space(part, i); i == len(part) {
		return i, nil
	}
	switch KindOf(part[i]) {
	case Object, Array:
		f.state = inside
		return i, nil
	case Text:
		f.state = inText
		return i + 1, nil
	case Number:
		f.state = inNumber
	case Null:
		f.state, f.word = inWord, "null"
	case Bool:
		f.state, f.word = inWord, "true"
		if part[i] == 'f' {
			f.word = "false"
		}
	default:
		return i, unexpected(part, i, "a value")
	}
	return i, nil
}

func (f *Framer) literal(part []byte, i int) (int, error) {
	for i < len(part) && f.word != "" {
		if part[i] != f.word[0] {
			return i, unexpected(part, i, "the rest of a literal")
		}
		f.word = f.word[1:]
		i++
	}
	if f.word == "" {
		f.state = afterValue
	}
	return i, nil
}

// tokens continues between the tokens of a container until the value or the part
// ends.
func (f *Framer) tokens(part []byte, i int) (int, error) {
	for i < len(part) {
		switch c := part[i]; byteClasses[c] {
		case otherByte:
			i++
		case quote:
			if i = afterString(part, i+1); i > len(part) {
				return f.suspendString(part, i)
			}
			// Common case: a comma or colon and the next string.
			for i+1 < len(part) && part[i+1] == '"' && byteClasses[part[i]] == otherByte {
				if i = afterString(part, i+2); i > len(part) {
					return f.suspendString(part, i)
				}
			}
		case opening:
			if bound := depthOf(f.MaxDepth); f.around+f.depth == bound {
				return i, tooDeep(i, bound)
			}
			f.push(c == '{')
			i++
		case closing:
			if f.depth == 0 || f.pop() != (c == '}') {
				return i, unexpected(part, i, "the matching closing bracket")
			}
			if i++; f.depth == 0 {
				f.state = afterValue
				return i, nil
			}
		default:
			return i, unexpected(part, i, "JSON")
		}
	}
	return i, nil
}

// suspendString records that the part ends in a string; i is the result of
// afterString.
func (f *Framer) suspendString(part []byte, i int) (int, error) {
	f.state = inText
	if i > len(part)+1 {
		f.state = inEscape
	}
	return len(part), nil
}

// text continues in a string until it or the part ends.
func (f *Framer) text(part []byte, i int) int {
	if f.state == inEscape {
		f.state = inText
		i++
	}
	if i = afterString(part, i); i > len(part) {
		i, _ = f.suspendString(part, i)
		return i
	}
	f.state = inside
	if f.depth == 0 {
		f.state = afterValue
	}
	return i
}

// afterString returns the offset after the closing quote of the string that contains
// data[i]. If the quote is missing, it returns len(data)+1, or len(data)+2 if the last
// byte is a backslash that escapes the next byte.
func afterString(data []byte, i int) int {
	for i+8 <= len(data) {
		w := binary.LittleEndian.Uint64(data[i:])
		m := (((w ^ quotes) - ones) | ((w ^ slashes) - ones)) &^ w & highs
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m)>>3 + 1
		if data[i-1] == '"' {
			return i
		}
		i++ // the escaped byte; the loop below handles the end of the data
	}
	for ; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return i + 1
}

func (f *Framer) push(object bool) {
	var bit uint64
	if object {
		bit = 1
	}
	if f.depth < 64 {
		f.low = f.low<<1 | bit
	} else {
		if k := f.depth/64 - 1; k == len(f.rest) {
			f.rest = append(f.rest, 0)
		}
		last := &f.rest[f.depth/64-1]
		*last = *last<<1 | bit
	}
	f.depth++
}

func (f *Framer) pop() (object bool) {
	f.depth--
	word := &f.low
	if f.depth >= 64 {
		word = &f.rest[f.depth/64-1]
	}
	object = *word&1 == 1
	*word >>= 1
	return object
}

// byteClass classifies a byte outside strings.
type byteClass uint8

const (
	invalidByte byteClass = iota
	otherByte
	quote
	opening
	closing
)

// byteClasses has the class of each byte. It is filled once and never changes.
var byteClasses = func() (classes [256]byteClass) {
	for _, c := range []byte(" \t\r\n,:0123456789+-.eEtrufalsn") {
		classes[c] = otherByte
	}
	classes['"'] = quote
	classes['{'], classes['['] = opening, opening
	classes['}'], classes[']'] = closing, closing
	return classes
}()

func inNumbers(c byte) bool {
	return '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E'
}
