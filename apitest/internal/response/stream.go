package response

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest/internal/registry"
)

// Frame is one event of a watch.
type Frame struct {
	Type watch.EventType
	// Object is the JSON in the requested format, without a line break.
	Object []byte
	// Version up to which the client has seen every change after this frame; 0 for
	// an ERROR.
	Version uint64
	// InitialEnd marks the bookmark that ends the initial events.
	InitialEnd bool
}

// AppendTo appends the frame in its encoded form.
func (f Frame) AppendTo(text []byte) []byte {
	text = append(text, `{"type":"`...)
	text = append(text, f.Type...)
	text = append(text, `","object":`...)
	text = append(text, f.Object...)
	return append(text, '}', '\n')
}

// Frames receives the events of a watch: a stream, or a fault between the watch
// and its stream. Only the goroutine of the request calls it. An error ends the
// watch and its response.
type Frames interface {
	// Send writes one frame.
	Send(Frame) error
	// Flush writes the sent frames to the connection.
	Flush() error
}

// stream is the body of a watch's response.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	// pending holds frames that have not been written. Its memory is reused until
	// a flush, and released then, since an idle watch needs none.
	pending []byte
}

// maxPending is the number of bytes of frames that are collected before they
// are written.
const maxPending = 4 << 10

// OpenStream begins the response, so that the client knows that its watch is
// open.
func OpenStream(w http.ResponseWriter, contentType string) (*stream, error) {
	s := &stream{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	return s, s.control.Flush()
}

func (s *stream) Send(f Frame) error {
	const around = 40 // the most that AppendTo adds
	s.pending = f.AppendTo(slices.Grow(s.pending, len(f.Object)+around))
	if len(s.pending) < maxPending {
		return nil
	}
	return s.write()
}

func (s *stream) Flush() error {
	err := s.write()
	s.pending = nil
	if err != nil {
		return err
	}
	return s.control.Flush()
}

// write writes the pending frames, without flushing.
func (s *stream) write() error {
	if len(s.pending) == 0 {
		return nil
	}
	_, err := s.w.Write(s.pending)
	s.pending = s.pending[:0]
	return err
}

// Bookmark returns the object of a bookmark: of the watched kind, with a
// version only.
func Bookmark(res *registry.Resource, version uint64, initialEnd bool) []byte {
	var text bytes.Buffer
	text.WriteString(`{"kind":`)
	text.WriteString(strconv.Quote(res.Kind))
	text.WriteString(`,"apiVersion":`)
	text.WriteString(strconv.Quote(res.GroupVersion().String()))
	text.WriteString(`,"metadata":{"resourceVersion":"`)
	text.WriteString(strconv.FormatUint(version, 10))
	text.WriteByte('"')
	if initialEnd {
		text.WriteString(`,"annotations":{"k8s.io/initial-events-end":"true"}`)
	}
	text.WriteString(`}}`)
	return text.Bytes()
}
