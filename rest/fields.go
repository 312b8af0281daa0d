package rest

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// fields goes over the fields of the JSON object at the start of data, one by
// one. Where data ends too early, its errors are jsonobj.ErrShort.
type fields struct {
	data     []byte
	at       int // of the next byte that counts; after next, of the value
	begun    bool
	maxDepth int
}

// next reads a key, which is valid until the data changes. Before it is called
// again, the value must be passed. ok is false at the object's end, and at is
// the place after it then.
func (f *fields) next() (key []byte, ok bool, err error) {
	c, err := f.peek()
	switch {
	case err != nil:
		return nil, false, err
	case !f.begun:
		if c != '{' {
			return nil, false, &jsonobj.SyntaxError{Offset: f.at, Msg: "no object begins here"}
		}
		f.at++
		if c, err = f.peek(); err != nil {
			return nil, false, err
		}
		f.begun = true
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
		return nil, false, f.moved(err)
	}
	f.at += n
	return key, true, nil
}

// value passes the value and returns its bytes.
func (f *fields) value() ([]byte, error) {
	n, err := jsonobj.Skip(f.data[f.at:], f.maxDepth)
	if err != nil {
		return nil, f.moved(err)
	}
	f.at += n
	return f.data[f.at-n : f.at], nil
}

// text passes the value and returns the string that it is.
func (f *fields) text() ([]byte, error) {
	text, n, err := jsonobj.String(f.data[f.at:], nil)
	if err != nil {
		return nil, f.moved(err)
	}
	f.at += n
	return text, nil
}

func (f *fields) peek() (byte, error) {
	f.at += jsonobj.Space(f.data[f.at:])
	if f.at == len(f.data) {
		return 0, jsonobj.ErrShort
	}
	return f.data[f.at], nil
}

func (f *fields) moved(err error) error {
	move(err, f.at, "")
	return err
}

// identityOf reads as much of an object's identity as can be read. The object
// could not be decoded: anything in it may be of the wrong type.
func identityOf(object []byte, maxDepth int) (id ItemError) {
	eachText(object, maxDepth, func(key, value []byte) {
		if string(key) != "metadata" {
			return
		}
		eachText(value, maxDepth, func(key, value []byte) {
			text, _, err := jsonobj.String(value, nil)
			if err != nil {
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

// eachText visits the fields of an object with the text of their values, up to
// the object's end or to where it makes no sense.
func eachText(object []byte, maxDepth int, visit func(key, value []byte)) {
	f := fields{data: object, maxDepth: maxDepth}
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
