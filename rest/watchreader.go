package rest

import (
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/watch"
)

// watchReader is one response to a watch request: events, each as soon as its
// last byte has come.
type watchReader struct {
	source watchSource
	err    error // final, once there is one
}

// watchSource is a watch in one encoding.
type watchSource interface {
	next() (wireEvent, error)
	close()
}

// wireEvent is an event as the server has sent it.
type wireEvent struct {
	typ watch.EventType
	// object is a pointer to the codec's type, nil in a BOOKMARK.
	object          any
	resourceVersion string
	// initialEventsEnd is set on the bookmark that ends the initial state.
	initialEventsEnd bool
}

// watchReader begins to read a watch. The body is the caller's to close, which
// also ends a next that waits for it.
func (c *codec) watchReader(contentType string, body io.Reader) (*watchReader, error) {
	format, err := c.encodingOf(contentType)
	if err != nil {
		return nil, withBeginning(err, body)
	}
	return &watchReader{source: c.watchIn(format, body)}, nil
}

// watchIn is a watch in an encoding that is known.
func (c *codec) watchIn(format encoding, body io.Reader) watchSource {
	s := c.forStream(format)
	if format == encodingProtobuf {
		return newProtobufWatch(c, s, body)
	}
	return newJSONWatch(c, s, body)
}

// next waits for the next event. io.EOF is the end of the stream between two
// events; an end within one is an error. An ERROR event is returned as an
// *errors.StatusError. An [*ItemError] costs one event, and the next call goes
// on after it. Every other error is final.
func (w *watchReader) next() (wireEvent, error) {
	if w.err != nil {
		return wireEvent{}, w.err
	}
	event, err := w.source.next()
	if err != nil {
		if _, goesOn := err.(*ItemError); !goesOn {
			w.err = err
		}
		return wireEvent{}, err
	}
	return event, nil
}

// close gives back what the reader has worked with. It may be called at any
// time but while next runs, and more than once.
func (w *watchReader) close() {
	if w.err == nil {
		w.err = errReaderClosed
	}
	w.source.close()
}

// eventTypeOf is the type that an event names.
func eventTypeOf(name []byte) (watch.EventType, error) {
	switch string(name) {
	case "ADDED":
		return watch.Added, nil
	case "MODIFIED":
		return watch.Modified, nil
	case "DELETED":
		return watch.Deleted, nil
	case "BOOKMARK":
		return watch.Bookmark, nil
	case "ERROR":
		return watch.Error, nil
	}
	return "", fmt.Errorf("an event of the unknown type %s", excerpt(name))
}

// eventOf is the event that an object has come with.
func eventOf(typ watch.EventType, object any) wireEvent {
	event := wireEvent{typ: typ, object: object}
	if versioned, ok := object.(interface{ GetResourceVersion() string }); ok {
		event.resourceVersion = versioned.GetResourceVersion()
	}
	return event
}

// between turns what a body says when nothing has begun into the end of the
// watch: servers end watches all the time, and proxies do it less politely.
func between(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}
