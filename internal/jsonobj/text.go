package jsonobj

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Constants for processing eight bytes at a time: a word with the same byte in each
// position.
const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	quotes  = ones * '"'
	slashes = ones * '\\'
	blanks  = ones * ' '
)

// firstSpecial sets the high bit of the first byte of w (in memory order) that is a
// quote, a backslash, a control character or not ASCII; it is 0 if there is none. Bits
// above the first are not reliable: a subtraction borrows.
func firstSpecial(w uint64) uint64 {
	return ((w - blanks) | ((w ^ quotes) - ones) | ((w ^ slashes) - ones) | w) & highs
}

// plainEnd returns the offset of the first byte at or after i that is a quote, a
// backslash, a control character or not ASCII, or len(data).
func plainEnd(data []byte, i int) int {
	for i+8 <= len(data) {
		if m := firstSpecial(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(data) {
		if c := data[i]; c == '"' || c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			break
		}
		i++
	}
	return i
}

// textEnd scans the text of a string from i on, which is inside the quotes, and
// returns the offset of the closing quote. It checks escapes and control characters,
// but not UTF-8.
func textEnd(data []byte, i int) (end int, escapes, high bool, err error) {
	for {
		i = plainEnd(data, i)
		if i >= len(data) {
			return 0, false, false, ErrShort
		}
		switch c := data[i]; {
		case c == '"':
			return i, escapes, high, nil
		case c == '\\':
			escapes = true
			if i, err = escapeEnd(data, i); err != nil {
				return 0, false, false, err
			}
		case c < ' ':
			return 0, false, false, &SyntaxError{Offset: i, Msg: "a control character in a string"}
		default:
			high = true
			for i < len(data) && data[i] >= utf8.RuneSelf {
				i++
			}
		}
	}
}

// escapeEnd checks the escape at i and returns the offset after it.
func escapeEnd(data []byte, i int) (int, error) {
	if i+1 >= len(data) {
		return 0, ErrShort
	}
	switch data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, nil
	case 'u':
	default:
		return 0, unexpected(data, i+1, "an escape")
	}
	for k := i + 2; k < i+6; k++ {
		if k >= len(data) {
			return 0, ErrShort
		}
		if unhex(data[k]) < 0 {
			return 0, unexpected(data, k, "a hexadecimal digit")
		}
	}
	return i + 6, nil
}

func unhex(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// unquote reads the string whose opening quote is at i. The text is a slice of data if
// possible; otherwise it is written to scratch. grown is scratch with its new
// capacity; next is the offset after the string.
func unquote(data []byte, i int, scratch []byte) (text, grown []byte, next int, err error) {
	end, escapes, high, err := textEnd(data, i+1)
	if err != nil {
		return nil, scratch, 0, err
	}
	raw := data[i+1 : end]
	if !escapes && (!high || utf8.Valid(raw)) {
		return raw, scratch, end + 1, nil
	}
	text = unescape(scratch[:0], raw)
	return text, text, end + 1, nil
}

// unescape appends the unescaped text of raw, whose escapes have been checked. Invalid
// UTF-8 becomes U+FFFD, one for each byte or lone surrogate.
func unescape(text, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\':
			text, i = appendEscape(text, raw, i+1)
		case c < utf8.RuneSelf:
			text = append(text, c)
			i++
		default:
			r, size := utf8.DecodeRune(raw[i:])
			text = utf8.AppendRune(text, r)
			i += size
		}
	}
	return text
}

func appendEscape(text, raw []byte, i int) ([]byte, int) {
	switch c := raw[i]; c {
	case 'b':
		return append(text, '\b'), i + 1
	case 'f':
		return append(text, '\f'), i + 1
	case 'n':
		return append(text, '\n'), i + 1
	case 'r':
		return append(text, '\r'), i + 1
	case 't':
		return append(text, '\t'), i + 1
	case 'u':
		r := hexRune(raw[i+1:])
		i += 5
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(text, r), i
		}
		if i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
			if pair := utf16.DecodeRune(r, hexRune(raw[i+2:])); pair != utf8.RuneError {
				return utf8.AppendRune(text, pair), i + 6
			}
		}
		return utf8.AppendRune(text, utf8.RuneError), i
	default: // a quote, a slash or a backslash
		return append(text, c), i + 1
	}
}

// hexRune returns the value of four hexadecimal digits, which have been checked.
func hexRune(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		r = r<<4 | unhex(c)
	}
	return r
}
