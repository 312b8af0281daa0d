package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// messageInterval is the shortest time between two messages of a stream.
	messageInterval = 50 * time.Millisecond
	// keepAlive is the time after which a stream without messages sends a comment.
	keepAlive = 15 * time.Second
	// writeTimeout is the time for a message: a slower client is cut off.
	writeTimeout = 10 * time.Second
	// maxMessage is the number of records of a message. A stream that is maxBehind
	// records behind continues with a snapshot.
	maxMessage = 500
	maxBehind  = 2000
	// maxStreams is the number of open streams.
	maxStreams = 16
)

// cursor is the position of a stream. Its memory does not depend on the client: the
// records are those of the recorder.
type cursor struct {
	// last is the number of the last record that was sent. started is false before the
	// first message.
	last    uint64
	started bool
}

// next returns the records of the next message, none if there is nothing new.
func (c *cursor) next(v *view) []Record {
	records, newest, ok := v.records.after(c.last, maxMessage)
	switch {
	case !c.started, !ok, newest-c.last > maxBehind:
		skipped := uint64(0)
		if c.started && newest > c.last {
			skipped = newest - c.last
		}
		snapshot := v.snapshot(skipped)
		c.started, c.last = true, snapshot.N
		return []Record{snapshot}
	case len(records) > 0:
		c.last = records[len(records)-1].N
	}
	return records
}

// resumed returns the cursor after a Last-Event-ID, START-NUMBER; the start if it is
// empty, invalid or of another process.
func (v *view) resumed(id string) cursor {
	start, number, _ := strings.Cut(id, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || start != v.startID() {
		return cursor{}
	}
	return cursor{last: n, started: true}
}

// startID identifies the process.
func (v *view) startID() string { return strconv.FormatInt(v.records.start.UnixMilli(), 36) }

// events serves a stream of records until the client or the program ends.
func (s *site) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		http.Error(w, fmt.Sprintf("%d streams are open: close another page", maxStreams), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	cursor := s.view.resumed(r.Header.Get("Last-Event-ID"))
	out := message{w, http.NewResponseController(w)}
	for out.send(": ok\n\n") == nil && s.pass(r.Context(), &cursor, out) == nil {
	}
}

// pass sends messages until nothing was recorded for keepAlive, or an error.
func (s *site) pass(ctx context.Context, c *cursor, out message) error {
	for {
		if records := c.next(s.view); len(records) > 0 {
			if err := out.sendRecords(s.view.startID(), records); err != nil {
				return err
			}
			if err := wait(ctx, messageInterval); err != nil {
				return err
			}
			continue
		}
		idle := time.NewTimer(keepAlive)
		select {
		case <-ctx.Done():
			idle.Stop()
			return ctx.Err()
		case <-s.view.records.added(c.last):
			idle.Stop()
		case <-idle.C:
			return nil
		}
	}
}

// message writes messages to a client.
type message struct {
	w          http.ResponseWriter
	controller *http.ResponseController
}

func (m message) sendRecords(start string, records []Record) error {
	data, err := json.Marshal(records)
	if err != nil {
		return err
	}
	return m.send(fmt.Sprintf("id: %s-%d\ndata: %s\n\n", start, records[len(records)-1].N, data))
}

func (m message) send(text string) error {
	if err := m.controller.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := io.WriteString(m.w, text); err != nil {
		return err
	}
	return m.controller.Flush()
}
