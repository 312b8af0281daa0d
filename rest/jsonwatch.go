package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// jsonWatch reads {"type":"ADDED","object":{...}} after {"type":...}, with or
// without white space between them, type and object in either order.
type jsonWatch struct {
	c      *codec
	s      *scratch // nil once closed
	window window
	events int
}

func newJSONWatch(c *codec, s *scratch, body io.Reader) *jsonWatch {
	w := &jsonWatch{c: c, s: s}
	w.window.begin(body, make([]byte, watchBufferLen), c.options)
	return w
}

func (w *jsonWatch) close() {
	if w.s != nil {
		w.c.giveBack(w.s)
		w.s, w.window = nil, window{}
	}
}

func (w *jsonWatch) next() (wireEvent, error) {
	event, err := w.advance()
	switch err.(type) {
	case nil, *ItemError, *apierrors.StatusError:
		return event, err
	}
	if err == io.EOF {
		return wireEvent{}, err
	}
	return wireEvent{}, w.window.failed(fmt.Sprintf("decode event %d of the watch", w.events+1), "", err)
}

func (w *jsonWatch) advance() (wireEvent, error) {
	c, err := w.window.wait()
	switch {
	case err != nil:
		return wireEvent{}, between(err)
	case c != '{':
		return wireEvent{}, fmt.Errorf("no event begins here, but %s", excerpt(w.window.unread()))
	}
	// Servers end each frame with a newline, and have none within it. Where
	// there is none yet, decoding would likely be in vain.
	if bytes.IndexByte(w.window.unread(), '\n') >= 0 {
		if event, n, err := w.frame(w.window.unread()); !errors.Is(err, jsonobj.ErrShort) {
			return w.took(event, n, err)
		}
	}
	whole, err := w.window.value()
	if err != nil {
		return wireEvent{}, err
	}
	event, n, err := w.frame(whole)
	if errors.Is(err, jsonobj.ErrShort) {
		err = &jsonobj.SyntaxError{Offset: len(whole), Msg: "the event is not complete, though its brackets pair"}
	}
	return w.took(event, n, err)
}

// took passes the frame that has been decoded, or that could not be.
func (w *jsonWatch) took(event wireEvent, n int, err error) (wireEvent, error) {
	lost, goesOn := err.(*ItemError)
	switch {
	case goesOn:
		return wireEvent{}, w.lost(lost)
	case err != nil:
		return wireEvent{}, err
	case n > w.window.limit:
		return wireEvent{}, w.window.tooLong("a value")
	}
	w.window.use(n)
	w.events++
	return event, nil
}

// lost passes a frame whose object could not be decoded, and names the object.
func (w *jsonWatch) lost(lost *ItemError) error {
	whole, err := w.window.value()
	if err != nil {
		return err
	}
	eachText(whole, w.c.options.MaxDepth, func(key, value []byte) {
		if string(key) == "object" {
			id := identityOf(value, w.c.options.MaxDepth)
			id.Type, id.Err = lost.Type, lost.Err
			lost = &id
		}
	})
	w.window.use(len(whole))
	w.events++
	return lost
}

// frame decodes the frame at the start of data and returns how long it is. Of
// an *ItemError only the type and the cause are set.
func (w *jsonWatch) frame(data []byte) (event wireEvent, n int, err error) {
	f := fields{data: data, maxDepth: w.c.options.MaxDepth}
	var typ watch.EventType
	var waits []byte // the object, where it came before the type
	var waitsAt int  // and its place
	done := false    // the object has been decoded
	for {
		key, ok, err := f.next()
		switch {
		case err != nil:
			return wireEvent{}, 0, err
		case !ok && typ == "":
			if isStatusJSON(data[:f.at], f.maxDepth) {
				return wireEvent{}, 0, statusFromJSON(w.s, data[:f.at])
			}
			return wireEvent{}, 0, errors.New("an event without a type")
		case !ok && waits != nil:
			event, _, err = w.object(typ, waits)
			move(err, waitsAt, "")
			return event, f.at, err
		case !ok && !done:
			return wireEvent{}, 0, fmt.Errorf("the %s event has no object", typ)
		case !ok:
			return event, f.at, nil
		}
		switch string(key) {
		case "type":
			if typ != "" {
				return wireEvent{}, 0, errors.New("the event has two types")
			}
			name, err := f.text()
			if err != nil {
				return wireEvent{}, 0, err
			}
			if typ, err = eventTypeOf(name); err != nil {
				return wireEvent{}, 0, err
			}
		case "object":
			if done || waits != nil {
				return wireEvent{}, 0, errors.New("the event has two objects")
			}
			if typ == "" {
				waitsAt = f.at
				if waits, err = f.value(); err != nil {
					return wireEvent{}, 0, err
				}
				continue
			}
			event, n, err = w.object(typ, data[f.at:])
			if err != nil {
				return wireEvent{}, 0, f.moved(err)
			}
			f.at += n
			done = true
		default:
			if _, err := f.value(); err != nil {
				return wireEvent{}, 0, err
			}
		}
	}
}

// object decodes the object at the start of data, as it is meant by the type.
func (w *jsonWatch) object(typ watch.EventType, data []byte) (event wireEvent, n int, err error) {
	if len(data) == 0 {
		return wireEvent{}, 0, jsonobj.ErrShort
	}
	switch kind := jsonobj.KindOf(data[0]); kind {
	case jsonobj.Object:
	case jsonobj.Invalid:
		return wireEvent{}, 0, &jsonobj.SyntaxError{Msg: "no value where the event's object should be"}
	default:
		return wireEvent{}, 0, fmt.Errorf("the %s event's object is %v", typ, kind)
	}
	switch typ {
	case watch.Error:
		if n, err = jsonobj.Skip(data, w.c.options.MaxDepth); err == nil {
			err = statusFromJSON(w.s, data[:n])
		}
		return wireEvent{}, 0, err
	case watch.Bookmark:
		event, n, err = w.bookmark(data)
	default:
		var object any
		if object, n, err = w.c.decodeJSON(w.s, data); err == nil {
			event = eventOf(typ, object)
		}
	}
	if costsOneItem(err) {
		err = &ItemError{Type: typ, Err: err}
	}
	return event, n, err
}

// wireBookmark is what is read of a bookmark's object, which is one of the
// watched type with little in it.
type wireBookmark struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
		Annotations     struct {
			InitialEventsEnd string `json:"k8s.io/initial-events-end"`
		} `json:"annotations"`
	} `json:"metadata"`
}

func (w *jsonWatch) bookmark(data []byte) (event wireEvent, n int, err error) {
	plan, err := jsonobj.PlanOf(reflect.TypeFor[wireBookmark]())
	if err != nil {
		return wireEvent{}, 0, err
	}
	var b wireBookmark
	if n, err = guarded(&w.s.heads, plan, data, &b); err != nil {
		return wireEvent{}, 0, err
	}
	return wireEvent{
		typ:              watch.Bookmark,
		resourceVersion:  b.Metadata.ResourceVersion,
		initialEventsEnd: b.Metadata.Annotations.InitialEventsEnd == "true",
	}, n, nil
}
