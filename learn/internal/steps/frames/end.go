package frames

import (
	"errors"
	"io"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func end(t *judge.T, parts stack.Parts) {
	for _, sent := range []string{"", "\n", "\r\n \n", frame("ADDED", "one", "1"), strings.TrimSpace(frame("ADDED", "one", "1"))} {
		body := newBody(sent)
		decoder := newDecoder(t, parts, body)
		if strings.Contains(sent, "one") {
			nextEvent(t, decoder, sent)
		}
		for range 2 {
			if event, err := next(t, decoder); err != io.EOF {
				cause := ""
				if err != nil && strings.Contains(err.Error(), "readObjectStart") {
					cause = "\nThe Decoder of json-iterator has no io.EOF after white space: find the end of a frame before you decode it."
				}
				t.Fatalf("sent: %s\nat the end of the body, Next returns %s and %s, want io.EOF%s", judge.Short(sent), describe(event), judge.ShortError(err), cause)
			}
		}
		if body.closed {
			t.Fatalf("the decoder closes the body, which the caller does")
		}
	}
}

func cuts(t *judge.T, parts stack.Parts) {
	whole := frame("ADDED", "one", "1")
	text := strings.TrimSpace(whole)
	for at := 1; at < len(text); at++ {
		decoder := newDecoder(t, parts, newBody(whole+text[:at]))
		nextEvent(t, decoder, whole)
		event, err := next(t, decoder)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the body ends inside a frame, after %s\nNext returns %s and %s, want io.ErrUnexpectedEOF (errors.Is)", judge.Short(text[:at]), describe(event), judge.ShortError(err))
		}
	}
}

func otherErrors(t *judge.T, parts stack.Parts) {
	reset := errors.New("connection reset by peer")
	for _, sent := range []string{frame("ADDED", "one", "1"), frame("ADDED", "one", "1") + `{"type":"ADD`} {
		for _, cause := range []error{reset, io.ErrUnexpectedEOF} {
			decoder := newDecoder(t, parts, newBody(sent, cause))
			nextEvent(t, decoder, sent)
			if event, err := next(t, decoder); !errors.Is(err, cause) {
				t.Fatalf("sent: %s, and then the body fails with the error %q\nNext returns %s and %s, want that error (errors.Is)", judge.Short(sent), cause, describe(event), judge.ShortError(err))
			}
		}
	}
}
