package jsonobj

import (
	"encoding/binary"
	"math/bits"
)

// Framer finds the end of a value that arrives in parts. It looks at each byte
// once. It does not check all of JSON: strings end, brackets pair, depth is
// bounded, and outside strings there are only bytes that JSON has there.
//
// The zero value is ready, with the depth of 512.
type Framer struct {
	// MaxDepth bounds how deep arrays and objects nest; 0 is 512.
	MaxDepth int

	at    place
	depth int
	// open has a bit for each open bracket, set for an object: low for the
	// first 64 levels, rest for those below.
	low  uint64
	rest []uint64
	word string // of a literal: what is still to come
	seen int    // bytes of the value before this part
}

// place is where a Framer stands.
type place uint8

const (
	before     place = iota // nothing but white space has come
	inside                  // between the tokens of an array or object
	inText                  // in a string
	inEscape                // after a backslash
	inNumber                // in a number that is the whole value
	inWord                  // in a literal that is the whole value
	afterValue              // done
)

// Reset makes the Framer ready for the next value.
func (f *Framer) Reset() {
	*f = Framer{MaxDepth: f.MaxDepth, rest: f.rest[:0]}
}

// Next is given the next part of the data. n is how many of its bytes belong to
// the value, white space before it included: all of them, until done is set.
// A number that stands alone ends at the byte after it. The error is a
// *SyntaxError, whose offset counts from the value's first part.
func (f *Framer) Next(part []byte) (n int, done bool, err error) {
	i := 0
	for i < len(part) && f.at != afterValue {
		switch f.at {
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
				f.at = afterValue
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
	return i, f.at == afterValue, nil
}

func (f *Framer) begin(part []byte, i int) (int, error) {
	if i = space(part, i); i == len(part) {
		return i, nil
	}
	switch KindOf(part[i]) {
	case Object, Array:
		f.at = inside
		return i, nil
	case Text:
		f.at = inText
		return i + 1, nil
	case Number:
		f.at = inNumber
	case Null:
		f.at, f.word = inWord, "null"
	case Bool:
		f.at, f.word = inWord, "true"
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
		f.at = afterValue
	}
	return i, nil
}

// tokens goes on outside strings until the value or the part ends.
func (f *Framer) tokens(part []byte, i int) (int, error) {
	for i < len(part) {
		switch outside[part[i]] {
		case filling:
			i++
		case quote:
			f.at = inText
			if i = f.text(part, i+1); f.at != inside {
				return i, nil
			}
		case opening:
			if f.depth == depthOf(f.MaxDepth) {
				return i, tooDeep(i, f.depth)
			}
			f.push(part[i] == '{')
			i++
		case closing:
			if f.depth == 0 || f.pop() != (part[i] == '}') {
				return i, unexpected(part, i, "the bracket that closes what is open")
			}
			if i++; f.depth == 0 {
				f.at = afterValue
				return i, nil
			}
		default:
			return i, unexpected(part, i, "JSON")
		}
	}
	return i, nil
}

// text goes on inside a string until it or the part ends.
func (f *Framer) text(part []byte, i int) int {
	if f.at == inEscape {
		f.at = inText
		i++
	}
	for i < len(part) {
		if i+8 <= len(part) {
			w := binary.LittleEndian.Uint64(part[i:])
			m := (((w ^ quotes) - ones) &^ (w ^ quotes)) | (((w ^ slashes) - ones) &^ (w ^ slashes))
			if m &= highs; m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		}
		switch part[i] {
		case '"':
			f.at = inside
			if f.depth == 0 {
				f.at = afterValue
			}
			return i + 1
		case '\\':
			if i+1 == len(part) {
				f.at = inEscape
				return i + 1
			}
			i++
		}
		i++
	}
	return i
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

// class is what a byte outside strings is to a Framer.
type class uint8

const (
	wrong class = iota
	filling
	quote
	opening
	closing
)

// outside has the class of each byte. It is filled once and never changes.
var outside = func() (of [256]class) {
	for _, c := range []byte(" \t\r\n,:0123456789+-.eEtrufalsn") {
		of[c] = filling
	}
	of['"'] = quote
	of['{'], of['['] = opening, opening
	of['}'], of[']'] = closing, closing
	return of
}()

func inNumbers(c byte) bool {
	return '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E'
}
