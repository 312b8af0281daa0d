package jsonobj

// Kind is the kind of a JSON value, determined by its first byte.
type Kind byte

// The kinds of values, and Invalid.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	Text
	Array
	Object
)

// KindOf returns the kind of the value that begins with c.
func KindOf(c byte) Kind {
	switch c {
	case '"':
		return Text
	case '{':
		return Object
	case '[':
		return Array
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return Invalid
}

func (k Kind) String() string {
	return [...]string{"no value", "null", "a bool", "a number", "a string", "an array", "an object"}[k]
}

// Space returns the length of the white space at the start of data.
func Space(data []byte) int { return space(data, 0) }

// space returns the offset of the first byte at or after i that is not white space.
func space(data []byte, i int) int {
	for i < len(data) && data[i] <= ' ' && isSpace(data[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// String reads the string at the start of data and returns its text and its length
// in bytes. The text is a slice of data, or, if the string has escapes or invalid
// UTF-8, a slice of scratch, which grows if necessary.
func String(data, scratch []byte) (text []byte, n int, err error) {
	if len(data) == 0 {
		return nil, 0, ErrShort
	}
	if data[0] != '"' {
		return nil, 0, unexpected(data, 0, "a string")
	}
	if end := plainEnd(data, 1); end < len(data) && data[end] == '"' {
		return data[1:end], end + 1, nil
	}
	text, _, n, err = unquote(data, 0, scratch)
	return text, n, err
}

// Key reads an object's key at the start of data, with the colon and the white
// space after it: data[n:] begins with the value.
func Key(data, scratch []byte) (key []byte, n int, err error) {
	key, n, err = String(data, scratch)
	if err != nil {
		return nil, 0, err
	}
	n = space(data, n)
	if n == len(data) {
		return nil, 0, ErrShort
	}
	if data[n] != ':' {
		return nil, 0, unexpected(data, n, "a colon")
	}
	return key, space(data, n+1), nil
}

// literal checks that data has the word at i, and returns the offset after it.
func literal(data []byte, i int, word string) (int, error) {
	if len(data)-i >= len(word) && string(data[i:i+len(word)]) == word {
		return i + len(word), nil
	}
	for k := range len(word) {
		if i+k == len(data) {
			return 0, ErrShort
		}
		if data[i+k] != word[k] {
			return 0, unexpected(data, i+k, "the rest of "+word)
		}
	}
	return i + len(word), nil
}
