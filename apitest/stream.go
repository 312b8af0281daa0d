package apitest

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"
)

// frame is one event of a watch, as its client will read it.
type frame struct {
	kind watch.EventType
	// object is its JSON in the form that was asked for, without a line break.
	object []byte
	// version up to which the client has seen every change once it has this
	// frame; 0 for an ERROR.
	version uint64
	// initialEnd marks the bookmark that ends the initial events.
	initialEnd bool
}

// appendTo appends the frame as it goes over the wire.
func (f frame) appendTo(text []byte) []byte {
	text = append(text, `{"type":"`...)
	text = append(text, f.kind...)
	text = append(text, `","object":`...)
	text = append(text, f.object...)
	return append(text, '}', '\n')
}

// frames is the one way by which events leave a watch: a stream, or what stands
// between the watch and its stream. It is called by the goroutine of the
// request only. An error ends the watch and with it the answer.
type frames interface {
	// send writes one frame.
	send(frame) error
	// flush puts on the wire what was sent.
	flush() error
}

// stream is the body of a watch's answer.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	// pending is frames on their way. Its memory is used again until a flush, as
	// an idle watch holds none.
	pending []byte
}

// maxPending is how many bytes of frames are gathered before they are handed on.
const maxPending = 4 << 10

// openStream begins the answer, so that the client knows that its watch stands.
func openStream(w http.ResponseWriter, contentType string) (*stream, error) {
	s := &stream{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	return s, s.control.Flush()
}

func (s *stream) send(f frame) error {
	const around = 40 // what appendTo adds at most
	s.pending = f.appendTo(slices.Grow(s.pending, len(f.object)+around))
	if len(s.pending) < maxPending {
		return nil
	}
	return s.write()
}

func (s *stream) flush() error {
	err := s.write()
	s.pending = nil
	if err != nil {
		return err
	}
	return s.control.Flush()
}

// write hands on what is pending, without flushing it.
func (s *stream) write() error {
	if len(s.pending) == 0 {
		return nil
	}
	_, err := s.w.Write(s.pending)
	s.pending = s.pending[:0]
	return err
}

// bookmark is the object of a bookmark: of the kind that is watched, with
// nothing but a version.
func bookmark(of *resource, version uint64, initialEnd bool) []byte {
	var text bytes.Buffer
	text.WriteString(`{"kind":`)
	text.WriteString(strconv.Quote(of.Kind))
	text.WriteString(`,"apiVersion":`)
	text.WriteString(strconv.Quote(of.GroupVersion().String()))
	text.WriteString(`,"metadata":{"resourceVersion":"`)
	text.WriteString(strconv.FormatUint(version, 10))
	text.WriteByte('"')
	if initialEnd {
		text.WriteString(`,"annotations":{"k8s.io/initial-events-end":"true"}`)
	}
	text.WriteString(`}}`)
	return text.Bytes()
}
