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

// printer prints the pieces of a body and the decoded events.
type printer struct {
	out       io.Writer
	recording *recording
	http2     bool

	pieces, events int // printed so far
	body           int // bytes of the body in the printed pieces
	lines          int // bytes of the body in the printed events
}

// seconds is the time after which the server ends the watch.
const seconds = int64(10)

// watch prints a watch of the objects. It makes the next change after each event, so that
// all recorded bytes belong to the events so far.
func (s *printer) watch(ctx context.Context, view *rest.View[*ConfigMap], objects *demoObjects) error {
	after := seconds
	watch, err := view.Watch(ctx, metav1.ListOptions{LabelSelector: selector, TimeoutSeconds: &after})
	if err != nil {
		return err
	}
	defer watch.Stop()
	s.printHeads()
	for {
		event, err := watch.Next(ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		all, broken := s.split()
		if broken != nil {
			return broken
		}
		if err != nil {
			s.printPieces(all)
			s.printSummary()
			return nil
		}
		s.printEvent(event, all)
		if s.events < 2 {
			continue // both objects existed before
		}
		if more, err := objects.next(ctx); err != nil {
			return fmt.Errorf("change an object: %w", err)
		} else if !more && s.events == events {
			fmt.Fprintf(s.out, "        no more changes; the server ends the watch after at most %d seconds\n\n", seconds)
		}
	}
}

// printHeads prints the request and the head of the response.
func (s *printer) printHeads() {
	if s.http2 {
		fmt.Fprint(s.out, "\nHTTP/2: the headers of the request and the response are compressed and not shown\n\n")
		return
	}
	fmt.Fprintln(s.out)
	for _, line := range head(s.recording.request()) {
		fmt.Fprintf(s.out, "      > %s\n", line)
	}
	fmt.Fprintln(s.out)
	at := 0
	for _, line := range head(s.recording.response()) {
		fmt.Fprintf(s.out, "%5d < %s\n", at, line)
		at += len(line) + len("\r\n")
	}
	fmt.Fprintln(s.out)
}

// split splits the response into pieces.
func (s *printer) split() ([]piece, error) {
	if s.http2 {
		return frames(s.recording.response())
	}
	return chunks(s.recording.response())
}

// printPieces prints the pieces that have not been printed.
func (s *printer) printPieces(all []piece) {
	for _, p := range all[s.pieces:] {
		s.pieces++
		offset, label := fmt.Sprintf("%5d", p.at), fmt.Sprintf("chunk %d: %q, then", s.pieces, p.prefix)
		if s.http2 { // the offset depends on the compressed headers
			offset, label = "     ", fmt.Sprintf("DATA frame %d: % x, then", s.pieces, p.prefix)
		}
		if p.size == 0 {
			fmt.Fprintf(s.out, "%s < %s nothing: the end of the body\n", offset, label)
			continue
		}
		fmt.Fprintf(s.out, "%s < %s bytes %d to %d of the body\n", offset, label, s.body, s.body+p.size-1)
		for line := range bytes.SplitSeq(bytes.TrimSuffix(p.data, []byte("\n")), []byte("\n")) {
			fmt.Fprintf(s.out, "      < %s\n", excerpt(line))
		}
		s.body += p.size
	}
}

// piecesBefore returns the number of pieces that begin before an offset of the body.
func piecesBefore(all []piece, place int) (n int) {
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

// printEvent prints an event after the line of the body and the pieces that contain it.
// It leaves out bytes received after the event.
func (s *printer) printEvent(event rest.Event[*ConfigMap], all []piece) {
	from := s.lines
	s.lines += bytes.IndexByte(bodyOf(all)[from:], '\n') + 1
	s.printPieces(all[:max(s.pieces, piecesBefore(all, s.lines))])
	s.events++
	fmt.Fprintf(s.out, "        event %d: %s %s, version %s: bytes %d to %d of the body\n\n",
		s.events, event.Type, event.Object.Name, event.ResourceVersion, from, s.lines-1)
}

func (s *printer) printSummary() {
	if s.http2 {
		fmt.Fprintf(s.out, "\n%d events in %d DATA frames and no chunks: HTTP/2 sends all data in frames and forbids Transfer-Encoding\n", s.events, s.pieces)
		return
	}
	fmt.Fprintf(s.out, "\n%d events in %d chunks, the last one empty: a chunk has the data of one flush, an event is a line of JSON\n", s.events, s.pieces)
}
