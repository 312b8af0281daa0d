package wire

import (
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

// WatchReader reads the response to a watch request. It returns each event as soon
// as its last byte has been received.
type WatchReader struct {
	source watchSource
	err    error // final, once there is one
}

// watchSource reads a watch in one encoding.
type watchSource interface {
	// state returns nil as long as the encoding is unknown.
	state() *watchState
	// advance waits for the next event. io.EOF is the end between two events.
	advance() (Event, error)
}

// watchState is the part of a watchSource that does not depend on the encoding.
type watchState struct {
	c      *Codec
	s      *scratch // nil once closed
	window window
	events int
}

func (w *watchState) state() *watchState { return w }

func (w *watchState) close() {
	if w != nil && w.s != nil {
		w.c.putScratch(w.s)
		w.s, w.window = nil, window{}
	}
}

// wrap adds to an error which event it concerns.
func (w *watchState) wrap(err error) error {
	if w == nil {
		return err
	}
	switch err.(type) {
	case *ItemError, *apierrors.StatusError:
		return err
	}
	if err == io.EOF {
		return err
	}
	return w.window.wrap(fmt.Sprintf("decode event %d of the watch", w.events+1), "", err)
}

// Event is an event from the server.
type Event struct {
	Type watch.EventType
	// Object is a pointer to the codec's type, nil in a BOOKMARK.
	Object          any
	ResourceVersion string
	// InitialEventsEnd is set on the bookmark that ends the initial events.
	InitialEventsEnd bool
}

// WatchReader returns a reader for a watch. The caller closes the body, which also
// ends a waiting Next.
func (c *Codec) WatchReader(contentType string, body io.Reader) (*WatchReader, error) {
	format, err := c.encodingOf(contentType)
	if err != nil {
		return nil, withExcerpt(err, body)
	}
	return &WatchReader{source: c.watchIn(format, body)}, nil
}

// watchIn returns a source for a watch in a known encoding.
func (c *Codec) watchIn(format encoding, body io.Reader) watchSource {
	s := c.streamScratch(format)
	if format == encodingProtobuf {
		return newProtobufWatch(c, s, body)
	}
	return newJSONWatch(c, s, body)
}

// Next waits for the next event. io.EOF is the end of the stream between two
// events; an end within an event is an error. An ERROR event is returned as an
// *errors.StatusError. After an [*ItemError], Next may be called again. Every other
// error is final.
func (w *WatchReader) Next() (Event, error) {
	if w.err != nil {
		return Event{}, w.err
	}
	event, err := w.source.advance()
	if err != nil {
		err = w.source.state().wrap(err)
	}
	if err == nil && len(event.ResourceVersion) > maxIdentifierLen {
		err = &ItemError{Type: event.Type, Err: CheckVersion(event.ResourceVersion)}
	}
	if err != nil {
		if _, isItemErr := err.(*ItemError); !isItemErr {
			w.err = err
		}
		return Event{}, err
	}
	return event, nil
}

// Close releases the resources of the reader. It may be called more than once, but
// not during Next.
func (w *WatchReader) Close() {
	if w.err == nil {
		w.err = errReaderClosed
	}
	w.source.state().close()
}

// eventTypeOf parses the type of an event.
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
	return "", fmt.Errorf("event of unknown type %s", excerpt(name))
}

// eventOf returns the event for an object.
func eventOf(typ watch.EventType, object any) Event {
	event := Event{Type: typ, Object: object}
	if versioned, ok := object.(interface{ GetResourceVersion() string }); ok {
		event.ResourceVersion = versioned.GetResourceVersion()
	}
	return event
}

// endOfStream converts an unexpected EOF between two events into io.EOF: servers
// end watches regularly, and proxies may close the connection.
func endOfStream(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}
