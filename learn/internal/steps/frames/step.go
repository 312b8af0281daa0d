// Package frames judges step 3: the events of a watch.
package frames

import (
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
	event, err := next(t, decoder)
	if err != nil {
		t.Fatalf("sent: %s\nNext returns %s, want an event", judge.Short(sent), judge.ShortError(err))
	}
	return event
}

// wantNames fails unless the events have objects of these names, and io.EOF follows.
func wantNames(t *judge.T, decoder stack.Decoder, sent string, names ...string) {
	for i, name := range names {
		event := nextEvent(t, decoder, sent)
		if event.Object == nil || event.Object.Name != name {
			t.Fatalf("sent: %s\nevent %d is %s, want the object %q", judge.Short(sent), i+1, describe(event), name)
		}
	}
	if event, err := next(t, decoder); err != io.EOF {
		t.Fatalf("sent: %s\nafter %d events, Next returns %s and %s, want io.EOF", judge.Short(sent), len(names), describe(event), judge.ShortError(err))
	}
}

// body delivers each piece with one Read. A time.Duration is a wait. An error ends it;
// without one it ends with io.EOF.
type body struct {
	mu     sync.Mutex
	pieces []any
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

// frame returns a frame with a ConfigMap, in the form of the API server.
func frame(typ, name, version string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","resourceVersion":%q},"data":{"of":%q}}}`+"\n", typ, name, version, name)
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
