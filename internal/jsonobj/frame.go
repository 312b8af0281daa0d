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
	// MaxDepth bounds how deep arrays and objects nest, as a Decoder's does.
	MaxDepth int

	at     place
	around int // levels that are open around the value
	depth  int // and within it
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

// tokens goes on between the tokens of a container until the value or the part
// ends.
func (f *Framer) tokens(part []byte, i int) (int, error) {
	for i < len(part) {
		switch c := part[i]; outside[c] {
		case filling:
			i++
		case quote:
			if i = textAfter(part, i+1); i > len(part) {
				return f.unfinished(part, i)
			}
			// A comma or colon and the next string: the common case.
			for i+1 < len(part) && part[i+1] == '"' && outside[part[i]] == filling {
				if i = textAfter(part, i+2); i > len(part) {
					return f.unfinished(part, i)
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

// unfinished notes that the part ends in a string; i is what textAfter said.
func (f *Framer) unfinished(part []byte, i int) (int, error) {
	f.at = inText
	if i > len(part)+1 {
		f.at = inEscape
	}
	return len(part), nil
}

// text goes on inside a string until it or the part ends.
func (f *Framer) text(part []byte, i int) int {
	if f.at == inEscape {
		f.at = inText
		i++
	}
	if i = textAfter(part, i); i > len(part) {
		i, _ = f.unfinished(part, i)
		return i
	}
	f.at = inside
	if f.depth == 0 {
		f.at = afterValue
	}
	return i
}

// textAfter is the place after the string that data is inside of at i: after
// its closing quote. If there is none it is len(data)+1, or len(data)+2 where
// the last byte is a backslash that escapes what is to come.
func textAfter(data []byte, i int) int {
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
		i++ // what is escaped; there is a byte or the loop below sees the end
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
