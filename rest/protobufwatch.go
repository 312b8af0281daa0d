package rest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// protobufWatch reads frames of four bytes of length and a metav1.WatchEvent,
// which is {1: type, 2: {1: the object in an envelope of its own}}.
type protobufWatch struct {
	c      *codec
	s      *scratch // nil once closed
	window window
	events int
	// typeMeta is the type of the object before, which is nearly always that of
	// the next.
	typeMeta metav1.TypeMeta
}

const frameHeaderLen = 4

func newProtobufWatch(c *codec, s *scratch, body io.Reader) *protobufWatch {
	w := &protobufWatch{c: c, s: s}
	w.window.begin(body, make([]byte, watchBufferLen), c.options)
	return w
}

func (w *protobufWatch) close() {
	if w.s != nil {
		w.c.giveBack(w.s)
		w.s, w.window = nil, window{}
	}
}

func (w *protobufWatch) next() (wireEvent, error) {
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

func (w *protobufWatch) advance() (wireEvent, error) {
	if len(w.window.unread()) == 0 {
		if err := w.window.more(); err != nil {
			return wireEvent{}, between(err)
		}
	}
	header, err := w.window.fill(frameHeaderLen)
	if err != nil {
		return wireEvent{}, err
	}
	if string(header) == pbobj.Magic { // or a frame of 1.8 GB
		return wireEvent{}, w.unframed()
	}
	length := binary.BigEndian.Uint32(header)
	switch {
	case length == 0:
		return wireEvent{}, errors.New("an empty frame")
	case uint64(length) > uint64(w.window.limit):
		return wireEvent{}, w.window.tooLong(fmt.Sprintf("a frame of %d bytes:", length))
	}
	w.window.use(frameHeaderLen)
	frame, err := w.window.fill(int(length))
	if err != nil {
		return wireEvent{}, err
	}
	event, err := w.frame(frame)
	if _, goesOn := err.(*ItemError); err != nil && !goesOn {
		return wireEvent{}, err
	}
	w.window.use(int(length))
	w.events++
	return event, err
}

// unframed reads an object that came in the watch's place, to the end of the
// body: the Status of a failure.
func (w *protobufWatch) unframed() error {
	err := w.window.more()
	for err == nil {
		if len(w.window.unread()) > w.window.limit {
			return w.window.tooLong("an object")
		}
		err = w.window.more()
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	envelope, err := pbobj.Open(w.window.unread())
	switch {
	case err != nil:
		return err
	case !isStatus(string(envelope.APIVersion), string(envelope.Kind)):
		return fmt.Errorf("the server sent a %s and no watch", excerpt(envelope.Kind))
	}
	return statusFromProtobuf(envelope.Raw)
}

// frame decodes one frame, all of which is there.
func (w *protobufWatch) frame(data []byte) (wireEvent, error) {
	name, sealed, err := openEvent(data)
	if err != nil {
		return wireEvent{}, err
	}
	typ, err := eventTypeOf(name)
	if err != nil {
		return wireEvent{}, err
	}
	if sealed == nil {
		return wireEvent{}, fmt.Errorf("the %s event has no object", typ)
	}
	envelope, err := pbobj.Open(sealed)
	if err != nil {
		return wireEvent{}, fmt.Errorf("the %s event's object: %w", typ, err)
	}
	switch typ {
	case watch.Error:
		if string(envelope.Kind) != statusKind {
			return wireEvent{}, fmt.Errorf("the ERROR event has a %s and no Status", excerpt(envelope.Kind))
		}
		return wireEvent{}, statusFromProtobuf(envelope.Raw)
	case watch.Bookmark:
		return wireEvent{
			typ:              typ,
			resourceVersion:  pbobj.Identify(envelope.Raw).ResourceVersion,
			initialEventsEnd: pbobj.Annotation(envelope.Raw, metav1.InitialEventsAnnotationKey) == "true",
		}, nil
	}
	object, err := w.object(envelope)
	if lost, ok := err.(*ItemError); ok {
		lost.Type = typ
		return wireEvent{}, lost
	}
	return eventOf(typ, object), nil
}

// object decodes an object that says what it is. Its error is an *ItemError.
func (w *protobufWatch) object(envelope pbobj.Envelope) (any, error) {
	if string(envelope.Kind) != w.typeMeta.Kind || string(envelope.APIVersion) != w.typeMeta.APIVersion {
		if w.c.expected != nil {
			if err := w.c.expected.Refuse(envelope.APIVersion, envelope.Kind); err != nil {
				return nil, lostProtobuf(envelope.Raw, err)
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

// openEvent takes a WatchEvent apart.
func openEvent(data []byte) (typ, object []byte, err error) {
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
			if object, err = openExtension(content); err != nil {
				return nil, nil, err
			}
		}
	}
	return typ, object, nil
}

// openExtension takes a RawExtension apart.
func openExtension(data []byte) (raw []byte, err error) {
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
