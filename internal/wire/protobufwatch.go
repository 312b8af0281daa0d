package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// protobufWatch reads frames, each with a length of four bytes and a
// metav1.WatchEvent: {1: type, 2: {1: the object in its own envelope}}.
type protobufWatch struct {
	watchState
	// typeMeta is the type of the last object, which is nearly always that of the
	// next.
	typeMeta metav1.TypeMeta
}

const frameHeaderLen = 4

func newProtobufWatch(c *Codec, s *scratch, body io.Reader) *protobufWatch {
	w := &protobufWatch{watchState: watchState{c: c, s: s}}
	w.window.reset(body, make([]byte, watchBufferLen), c.options)
	return w
}

func (w *protobufWatch) advance() (Event, error) {
	if len(w.window.unread()) == 0 {
		if err := w.window.readMore(); err != nil {
			return Event{}, endOfStream(err)
		}
	}
	header, err := w.window.peekN(frameHeaderLen)
	if err != nil {
		return Event{}, err
	}
	if string(header) == pbobj.Magic { // otherwise a frame of 1.8 GB
		return Event{}, w.readUnframed()
	}
	length := binary.BigEndian.Uint32(header)
	switch {
	case length == 0:
		return Event{}, errors.New("an empty frame")
	case uint64(length) > uint64(w.window.limit):
		return Event{}, w.window.tooLong(fmt.Sprintf("a frame of %d bytes:", length))
	}
	w.window.skip(frameHeaderLen)
	frame, err := w.window.peekN(int(length))
	if err != nil {
		return Event{}, err
	}
	event, err := w.frame(frame)
	if _, isItemErr := err.(*ItemError); err != nil && !isItemErr {
		return Event{}, err
	}
	w.window.skip(int(length))
	w.events++
	return event, err
}

// readUnframed reads an object in place of a watch, up to the end of the body: the
// Status of a failure.
func (w *protobufWatch) readUnframed() error {
	err := w.window.readMore()
	for err == nil {
		if len(w.window.unread()) > w.window.limit {
			return w.window.tooLong("an object")
		}
		err = w.window.readMore()
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	envelope, err := pbobj.Open(w.window.unread())
	switch {
	case err != nil:
		return err
	case !isStatus(string(envelope.APIVersion), string(envelope.Kind)):
		return fmt.Errorf("the server sent a %s instead of a watch", excerpt(envelope.Kind))
	}
	return statusFromProtobuf(envelope.Raw)
}

// frame decodes one complete frame.
func (w *protobufWatch) frame(data []byte) (Event, error) {
	name, enveloped, err := parseWatchEvent(data)
	if err != nil {
		return Event{}, err
	}
	typ, err := eventTypeOf(name)
	if err != nil {
		return Event{}, err
	}
	if enveloped == nil {
		return Event{}, fmt.Errorf("the %s event has no object", typ)
	}
	envelope, err := pbobj.Open(enveloped)
	if err != nil {
		return Event{}, fmt.Errorf("the %s event's object: %w", typ, err)
	}
	switch typ {
	case watch.Error:
		if string(envelope.Kind) != statusKind {
			return Event{}, fmt.Errorf("the ERROR event has a %s instead of a Status", excerpt(envelope.Kind))
		}
		return Event{}, statusFromProtobuf(envelope.Raw)
	case watch.Bookmark:
		return Event{
			Type:             typ,
			ResourceVersion:  pbobj.Identify(envelope.Raw).ResourceVersion,
			InitialEventsEnd: pbobj.Annotation(envelope.Raw, metav1.InitialEventsAnnotationKey) == "true",
		}, nil
	}
	object, err := w.object(envelope)
	if lost, ok := err.(*ItemError); ok {
		lost.Type = typ
		return Event{}, lost
	}
	return eventOf(typ, object), nil
}

// object decodes the object of an envelope. Its error is an *ItemError.
func (w *protobufWatch) object(envelope pbobj.Envelope) (any, error) {
	if string(envelope.Kind) != w.typeMeta.Kind || string(envelope.APIVersion) != w.typeMeta.APIVersion {
		if w.c.expected != nil {
			if err := w.c.expected.Refuse(envelope.APIVersion, envelope.Kind); err != nil {
				return nil, protobufItemError(envelope.Raw, err)
			}
		}
		w.typeMeta = metav1.TypeMeta{Kind: string(envelope.Kind), APIVersion: string(envelope.APIVersion)}
	}
	object, err := w.c.decodeProtobuf(w.s, envelope.Raw, w.c.options.KeepManagedFields)
	if err != nil {
		return nil, err
	}
	w.c.setTypeMeta(object, w.typeMeta)
	return object, nil
}

// parseWatchEvent returns the fields of a WatchEvent.
func parseWatchEvent(data []byte) (typ, object []byte, err error) {
	for len(data) > 0 {
		h, content, n, err := pbobj.Next(data)
		if err != nil {
			return nil, nil, err
		}
		data = data[n:]
		if h.Wire != pbobj.Bytes {
			continue
		}
		switch h.Number {
		case 1:
			typ = content
		case 2:
			if object, err = parseRawExtension(content); err != nil {
				return nil, nil, err
			}
		}
	}
	return typ, object, nil
}

// parseRawExtension returns the content of a RawExtension.
func parseRawExtension(data []byte) (raw []byte, err error) {
	for len(data) > 0 {
		h, content, n, err := pbobj.Next(data)
		if err != nil {
			return nil, fmt.Errorf("the event's object: %w", err)
		}
		data = data[n:]
		if h.Number == 1 && h.Wire == pbobj.Bytes {
			raw = content
		}
	}
	return raw, nil
}
