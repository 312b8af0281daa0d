package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// screen shows the pieces of a body as they come, and the events as they are
// decoded.
type screen struct {
	out   io.Writer
	tape  *tape
	http2 bool

	pieces, events int // shown so far
	body           int // how much of the body is in the pieces shown
	lines          int // how much of it is in the events shown
}

// seconds after which the server ends the watch.
const seconds = int64(10)

// watch shows a watch of the scene, which goes on when an event has come: so
// all that is on the tape belongs to the events up to it.
func (s *screen) watch(ctx context.Context, view *rest.View[*ConfigMap], play *scene) error {
	after := seconds
	watch, err := view.Watch(ctx, metav1.ListOptions{LabelSelector: selector, TimeoutSeconds: &after})
	if err != nil {
		return err
	}
	defer watch.Stop()
	s.heads()
	for {
		event, err := watch.Next(ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		all, broken := s.cut()
		if broken != nil {
			return broken
		}
		if err != nil {
			s.showPieces(all)
			s.summary()
			return nil
		}
		s.showEvent(event, all)
		if s.events < 2 {
			continue // both have been there before
		}
		if going, err := play.next(ctx); err != nil {
			return fmt.Errorf("change something: %w", err)
		} else if !going && s.events == events {
			fmt.Fprintf(s.out, "        now nothing happens, and the server ends the watch: after %d seconds, or before\n\n", seconds)
		}
	}
}

// heads shows the request and the head of the response.
func (s *screen) heads() {
	if s.http2 {
		fmt.Fprint(s.out, "\nHTTP/2: the request and the head of the response are compressed, and shown nowhere\n\n")
		return
	}
	fmt.Fprintln(s.out)
	for _, line := range head(s.tape.request()) {
		fmt.Fprintf(s.out, "      > %s\n", line)
	}
	fmt.Fprintln(s.out)
	at := 0
	for _, line := range head(s.tape.response()) {
		fmt.Fprintf(s.out, "%5d < %s\n", at, line)
		at += len(line) + len("\r\n")
	}
	fmt.Fprintln(s.out)
}

// cut takes the response apart.
func (s *screen) cut() ([]piece, error) {
	if s.http2 {
		return frames(s.tape.response())
	}
	return chunks(s.tape.response())
}

// showPieces shows those that have not been shown.
func (s *screen) showPieces(all []piece) {
	for _, p := range all[s.pieces:] {
		s.pieces++
		where, what := fmt.Sprintf("%5d", p.at), fmt.Sprintf("chunk %d: %q, then", s.pieces, p.prefix)
		if s.http2 { // compressed headers come before, and are not always as long
			where, what = "     ", fmt.Sprintf("DATA frame %d: % x, then", s.pieces, p.prefix)
		}
		if p.size == 0 {
			fmt.Fprintf(s.out, "%s < %s nothing: the end of the body\n", where, what)
			continue
		}
		fmt.Fprintf(s.out, "%s < %s bytes %d to %d of the body\n", where, what, s.body, s.body+p.size-1)
		for line := range bytes.SplitSeq(bytes.TrimSuffix(p.data, []byte("\n")), []byte("\n")) {
			fmt.Fprintf(s.out, "      < %s\n", excerpt(line))
		}
		s.body += p.size
	}
}

// until is how many pieces begin before a place in the body.
func until(all []piece, place int) (n int) {
	for at := 0; n < len(all) && at < place; n++ {
		at += all[n].size
	}
	return n
}

const width = 90

func excerpt(line []byte) string {
	if len(line) > width {
		return string(line[:width]) + "..."
	}
	return string(line)
}

// showEvent shows an event, after the line of the body that it was and the
// pieces that this came in. What has come after it already is not its own.
func (s *screen) showEvent(event rest.Event[*ConfigMap], all []piece) {
	from := s.lines
	s.lines += bytes.IndexByte(bodyOf(all)[from:], '\n') + 1
	s.showPieces(all[:max(s.pieces, until(all, s.lines))])
	s.events++
	fmt.Fprintf(s.out, "        event %d: %s %s, version %s: bytes %d to %d of the body\n\n",
		s.events, event.Type, event.Object.Name, event.ResourceVersion, from, s.lines-1)
}

func (s *screen) summary() {
	if s.http2 {
		fmt.Fprintf(s.out, "\n%d events in %d DATA frames, and no chunks: HTTP/2 frames everything by itself, and forbids Transfer-Encoding\n", s.events, s.pieces)
		return
	}
	fmt.Fprintf(s.out, "\n%d events in %d chunks, the last one empty: a chunk is what the server has flushed, an event is a line of JSON\n", s.events, s.pieces)
}
