// Package frames judges step 3: the events of a watch.
//
// A solution receives the body of a watch, and returns a decoder of its events. The checks
// are bodies that arrive in pieces of any length. They verify that an event is returned as
// soon as its frame is complete, and that the end, a cut and an ERROR event differ.
package frames

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Step is step 3.
var Step = judge.Step{
	Number:    3,
	Name:      "frames",
	Functions: []string{"NewDecoder"},
	Checks: []judge.Check{
		{Name: "a frame is an event", Run: events},
		{Name: "the end between frames is io.EOF", Run: end},
		{Name: "each event has its own object", Run: ownObjects},
		{Name: "white space between frames is ignored", Run: whiteSpace},
		{Name: "frames are independent of reads", Run: reads},
		{Name: "an event does not wait for the next byte", Run: atOnce},
		{Name: "a frame can be large", Run: large},
		{Name: "the end inside a frame is io.ErrUnexpectedEOF", Run: cuts},
		{Name: "other errors are unchanged", Run: otherErrors},
		{Name: "a bookmark has only a version", Run: bookmarks},
		{Name: "an annotation marks the end of the initial events", Run: endMark},
		{Name: "an ERROR event is an error", Run: errorEvents},
		{Name: "an object that cannot be decoded is an error", Run: undecodable},
		{Name: "a frame without a known type or an object is an error", Run: incomplete},
		{Name: "a watch of the API server", Run: server},
	},
	Show: show,
}

// newDecoder returns the decoder of the solution.
func newDecoder(t *judge.T, parts stack.Parts, body io.Reader) stack.Decoder {
	var decoder stack.Decoder
	t.Unblocked("NewDecoder", func() { decoder = parts.NewDecoder(body) })
	if decoder == nil {
		t.Fatalf("NewDecoder returns nil")
	}
	return decoder
}

// next returns the next event.
func next(t *judge.T, decoder stack.Decoder) (event stack.Event, err error) {
	t.Unblocked("Next", func() { event, err = decoder.Next() })
	return event, err
}

// nextEvent is next without an error.
func nextEvent(t *judge.T, decoder stack.Decoder, sent string) stack.Event {
	return nextOf(t, decoder, "sent: "+judge.Short(sent))
}

// nextOf is nextEvent of a stream that a failure describes in these words.
func nextOf(t *judge.T, decoder stack.Decoder, stream string) stack.Event {
	event, err := next(t, decoder)
	if err != nil {
		t.Fatalf("%s\nNext returns %s, want an event", stream, judge.ShortError(err))
	}
	return event
}

// wantNames fails unless the events have objects of these names, and io.EOF follows.
func wantNames(t *judge.T, decoder stack.Decoder, stream string, names ...string) {
	for i, name := range names {
		event := nextOf(t, decoder, stream)
		if event.Object == nil || event.Object.Name != name {
			t.Fatalf("%s\nevent %d is %s, want the object %q", stream, i+1, describe(event), name)
		}
		if event.ResourceVersion != event.Object.ResourceVersion {
			t.Fatalf("%s\nevent %d is %s, and the object has the version %q", stream, i+1, describe(event), event.Object.ResourceVersion)
		}
	}
	if event, err := next(t, decoder); err != io.EOF {
		t.Fatalf("%s\nafter %d events, Next returns %s and %s, want io.EOF", stream, len(names), describe(event), judge.ShortError(err))
	}
}

// isEnd reports whether err means that the body has ended.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// body delivers each piece with one Read. A time.Duration is a wait. An error ends it;
// without one it ends with io.EOF.
type body struct {
	mu     sync.Mutex
	pieces []any
	closed bool
}

func newBody(pieces ...any) *body { return &body{pieces: pieces} }

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.pieces) > 0 {
		switch piece := b.pieces[0].(type) {
		case error:
			return 0, piece
		case time.Duration:
			b.pieces = b.pieces[1:]
			time.Sleep(piece)
		case string:
			n := copy(p, piece)
			if n == len(piece) {
				b.pieces = b.pieces[1:]
			} else {
				b.pieces[0] = piece[n:]
			}
			return n, nil
		}
	}
	return 0, io.EOF
}

// Close records that the solution closes the body, which its caller does.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

// frame returns a frame with a ConfigMap, in the form of the API server.
func frame(typ, name, version string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","resourceVersion":%q,"labels":{"app":"shop"}},"data":{"of":%q}}}`+"\n", typ, name, version, name)
}

func describe(event stack.Event) string {
	if event == (stack.Event{}) {
		return "no event"
	}
	if event.Object == nil {
		return fmt.Sprintf("{%s, version %q, no object}", event.Type, event.ResourceVersion)
	}
	return fmt.Sprintf("{%s, version %q, object %q}", event.Type, event.ResourceVersion, event.Object.Name)
}
