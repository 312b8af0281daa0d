package wire

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// fieldReader iterates over the fields of the JSON object at the start of data. If
// data ends too early, its errors are jsonobj.ErrShort.
type fieldReader struct {
	data     []byte
	at       int // offset of the next significant byte; after next, of the value
	started  bool
	maxDepth int
}

// next reads a key, which is valid until the data changes. The value must be read
// before next is called again. ok is false at the end of the object; at is then the
// offset after it.
func (f *fieldReader) next() (key []byte, ok bool, err error) {
	c, err := f.peek()
	switch {
	case err != nil:
		return nil, false, err
	case !f.started:
		if c != '{' {
			return nil, false, &jsonobj.SyntaxError{Offset: f.at, Msg: "expected an object"}
		}
		f.at++
		if c, err = f.peek(); err != nil {
			return nil, false, err
		}
		f.started = true
		if c == '}' {
			f.at++
			return nil, false, nil
		}
	case c == '}':
		f.at++
		return nil, false, nil
	case c == ',':
		f.at++
		if _, err = f.peek(); err != nil {
			return nil, false, err
		}
	default:
		return nil, false, &jsonobj.SyntaxError{Offset: f.at, Msg: "a comma or the end of the object is missing"}
	}
	key, n, err := jsonobj.Key(f.data[f.at:], nil)
	if err != nil {
		return nil, false, f.shift(err)
	}
	f.at += n
	return key, true, nil
}

// value reads the value and returns its bytes.
func (f *fieldReader) value() ([]byte, error) {
	n, err := jsonobj.Skip(f.data[f.at:], f.maxDepth)
	if err != nil {
		return nil, f.shift(err)
	}
	f.at += n
	return f.data[f.at-n : f.at], nil
}

// text reads a string value.
func (f *fieldReader) text() ([]byte, error) {
	text, n, err := jsonobj.String(f.data[f.at:], nil)
	if err != nil {
		return nil, f.shift(err)
	}
	f.at += n
	return text, nil
}

func (f *fieldReader) peek() (byte, error) {
	f.at += jsonobj.Space(f.data[f.at:])
	if f.at == len(f.data) {
		return 0, jsonobj.ErrShort
	}
	return f.data[f.at], nil
}

func (f *fieldReader) shift(err error) error {
	shiftError(err, f.at, "")
	return err
}

// identityOf reads the identity of an object that could not be decoded, as far as
// possible: any field may be of the wrong type. An identifier that is too long
// counts as missing.
func identityOf(object []byte, maxDepth int) (id ItemError) {
	eachField(object, maxDepth, func(key, value []byte) {
		if string(key) != "metadata" {
			return
		}
		eachField(value, maxDepth, func(key, value []byte) {
			text, _, err := jsonobj.String(value, nil)
			if err != nil || len(text) > maxIdentifierLen {
				return
			}
			switch string(key) {
			case "namespace":
				id.Namespace = string(text)
			case "name":
				id.Name = string(text)
			case "uid":
				id.UID = types.UID(text)
			case "resourceVersion":
				id.ResourceVersion = string(text)
			}
		})
	})
	return id
}

// eachField calls visit for each field of an object with the bytes of its value, up
// to the end of the object or to a syntax error.
func eachField(object []byte, maxDepth int, visit func(key, value []byte)) {
	f := fieldReader{data: object, maxDepth: maxDepth}
	for {
		key, ok, err := f.next()
		if err != nil || !ok {
			return
		}
		value, err := f.value()
		if err != nil {
			return
		}
		visit(key, value)
	}
}
