package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// jsonWatch reads a sequence of {"type":"ADDED","object":{...}}, with or without
// white space between them, type and object in either order.
type jsonWatch struct {
	watchState
}

func newJSONWatch(c *Codec, s *scratch, body io.Reader) *jsonWatch {
	w := &jsonWatch{watchState: watchState{c: c, s: s}}
	w.window.reset(body, make([]byte, watchBufferLen), c.options)
	return w
}

func (w *jsonWatch) advance() (Event, error) {
	c, err := w.window.peekIdle()
	switch {
	case err != nil:
		return Event{}, endOfStream(err)
	case c != '{':
		return Event{}, fmt.Errorf("expected an event, got %s", excerpt(w.window.unread()))
	}
	// Servers end each frame with a newline, and have none within it. Without one,
	// decoding would likely fail for lack of data.
	if bytes.IndexByte(w.window.unread(), '\n') >= 0 {
		if event, n, err := w.frame(w.window.unread()); !errors.Is(err, jsonobj.ErrShort) {
			return w.consume(event, n, err)
		}
	}
	whole, err := w.window.value()
	if err != nil {
		return Event{}, err
	}
	event, n, err := w.frame(whole)
	if errors.Is(err, jsonobj.ErrShort) {
		err = &jsonobj.SyntaxError{Offset: len(whole), Msg: "the event is incomplete, although its brackets match"}
	}
	return w.consume(event, n, err)
}

// consume consumes the frame that was decoded, or could not be decoded.
func (w *jsonWatch) consume(event Event, n int, err error) (Event, error) {
	lost, isItemErr := err.(*ItemError)
	switch {
	case isItemErr:
		return Event{}, w.skipEvent(lost)
	case err != nil:
		return Event{}, err
	case n > w.window.limit:
		return Event{}, w.window.tooLong("a value")
	}
	w.window.skip(n)
	w.events++
	return event, nil
}

// skipEvent consumes a frame whose object could not be decoded, and identifies the
// object.
func (w *jsonWatch) skipEvent(lost *ItemError) error {
	whole, err := w.window.value()
	if err != nil {
		return err
	}
	eachField(whole, w.c.options.MaxDepth, func(key, value []byte) {
		if string(key) == "object" {
			id := identityOf(value, w.c.options.MaxDepth)
			id.Type, id.Err = lost.Type, lost.Err
			lost = &id
		}
	})
	w.window.skip(len(whole))
	w.events++
	return lost
}

// frame decodes the frame at the start of data and returns its length. An
// *ItemError has only its type and cause.
func (w *jsonWatch) frame(data []byte) (event Event, n int, err error) {
	f := fieldReader{data: data, maxDepth: w.c.options.MaxDepth}
	var typ watch.EventType
	var pending []byte    // the object, if it precedes the type
	var pendingOffset int // and its offset
	done := false         // the object has been decoded
	for {
		key, ok, err := f.next()
		switch {
		case err != nil:
			return Event{}, 0, err
		case !ok && typ == "":
			if isStatusJSON(data[:f.at], f.maxDepth) {
				return Event{}, 0, statusFromJSON(w.s, data[:f.at])
			}
			return Event{}, 0, errors.New("an event without a type")
		case !ok && pending != nil:
			event, _, err = w.object(typ, pending)
			shiftError(err, pendingOffset, "")
			return event, f.at, err
		case !ok && !done:
			return Event{}, 0, fmt.Errorf("the %s event has no object", typ)
		case !ok:
			return event, f.at, nil
		}
		switch string(key) {
		case "type":
			if typ != "" {
				return Event{}, 0, errors.New("the event has two types")
			}
			name, err := f.text()
			if err != nil {
				return Event{}, 0, err
			}
			if typ, err = eventTypeOf(name); err != nil {
				return Event{}, 0, err
			}
		case "object":
			if done || pending != nil {
				return Event{}, 0, errors.New("the event has two objects")
			}
			if typ == "" {
				pendingOffset = f.at
				if pending, err = f.value(); err != nil {
					return Event{}, 0, err
				}
				continue
			}
			event, n, err = w.object(typ, data[f.at:])
			if err != nil {
				return Event{}, 0, f.shift(err)
			}
			f.at += n
			done = true
		default:
			if _, err := f.value(); err != nil {
				return Event{}, 0, err
			}
		}
	}
}

// object decodes the object at the start of data, according to the event type.
func (w *jsonWatch) object(typ watch.EventType, data []byte) (event Event, n int, err error) {
	if len(data) == 0 {
		return Event{}, 0, jsonobj.ErrShort
	}
	switch kind := jsonobj.KindOf(data[0]); kind {
	case jsonobj.Object:
	case jsonobj.Invalid:
		return Event{}, 0, &jsonobj.SyntaxError{Msg: "no value where the event's object should be"}
	default:
		return Event{}, 0, fmt.Errorf("the %s event's object is %v", typ, kind)
	}
	switch typ {
	case watch.Error:
		if n, err = jsonobj.Skip(data, w.c.options.MaxDepth); err == nil {
			err = statusFromJSON(w.s, data[:n])
		}
		return Event{}, 0, err
	case watch.Bookmark:
		event, n, err = w.bookmark(data)
	default:
		var object any
		if object, n, err = w.c.decodeJSON(w.s, data); err == nil {
			event = eventOf(typ, object)
		}
	}
	if isObjectError(err) {
		err = &ItemError{Type: typ, Err: err}
	}
	return event, n, err
}

// wireBookmark has the decoded fields of a bookmark's object, which is an otherwise
// empty object of the watched type.
type wireBookmark struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
		Annotations     struct {
			InitialEventsEnd string `json:"k8s.io/initial-events-end"`
		} `json:"annotations"`
	} `json:"metadata"`
}

func (w *jsonWatch) bookmark(data []byte) (event Event, n int, err error) {
	plan, err := jsonobj.PlanOf(reflect.TypeFor[wireBookmark]())
	if err != nil {
		return Event{}, 0, err
	}
	var b wireBookmark
	if n, err = decodeRecovering(&w.s.metaDecoder, plan, data, &b); err != nil {
		return Event{}, 0, err
	}
	return Event{
		Type:             watch.Bookmark,
		ResourceVersion:  b.Metadata.ResourceVersion,
		InitialEventsEnd: b.Metadata.Annotations.InitialEventsEnd == "true",
	}, n, nil
}
