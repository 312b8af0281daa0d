package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// patience is how long a request waits for a version that there is not yet.
const patience = 3 * time.Second

// selects says whether a watcher is concerned with a state of an object.
type selects func(*record) bool

// event is what a change is to those who select: one that starts matching is
// ADDED, one that stops matching is DELETED as it was, at the version of the
// change. It reports false for what is none of their business.
func (s selects) event(of change) (watch.EventType, *record, bool) {
	before := of.was != nil && s(of.was)
	after := !of.now.deleted && s(of.now)
	switch {
	case before && after:
		return watch.Modified, of.now, true
	case after:
		return watch.Added, of.now, true
	case before && of.now.deleted:
		return watch.Deleted, of.now, true
	case before:
		return watch.Deleted, of.was.restamped(of.now.version), true
	}
	return "", nil, false
}

// watching is one watch that stands.
type watching struct {
	*call
	watchOptions
	selects selects
	out     frames
	changes *follower
	// initial is the state to be sent first, and failure why there is nothing
	// else to send; either may be nil.
	initial *snapshot
	failure error
	// bell is what the watch waits for, timer what rings it by the clock.
	bell  bell
	timer *time.Timer
	// unheard undoes what listen did to contexts; calm ends the faults between
	// the watch and its stream.
	unheard func() bool
	calm    func()
	// begun is the version after which changes are sent: a bookmark of it would
	// tell its client nothing.
	begun uint64
	// deadline and bookmarkAt are when the watch ends and when its next
	// bookmark is due; zero is never.
	deadline, bookmarkAt time.Time
}

// watch finds out what a watch is to send. It is sent by what is returned: once
// the answer has begun, what goes wrong is an event of it.
func (c *call) watch() (events func(), err error) {
	options, err := parseWatch(c.query)
	if err != nil {
		return nil, err
	}
	w := &watching{call: c, watchOptions: options, deadline: time.Now().Add(options.timeout)}
	if w.selects, err = c.concerns(); err != nil {
		return nil, err
	}
	w.begin()
	c.query = nil // a watch is long, and done with it
	return w.run, nil
}

// run sends the events, until the watch ends. It waits with little above it on
// the stack.
func (w *watching) run() {
	w.server.watches.Add(1)
	defer w.end()
	if !w.open() {
		return
	}
	for w.catchUp() {
		if w.resource.over != nil {
			w.waitForEither(w.resource.over)
		} else {
			<-w.bell
		}
	}
}

// open begins the answer, and sends what is there from the beginning. It reports
// whether there is more to come.
func (w *watching) open() bool {
	body, err := openStream(w.w, mimeJSON)
	if err != nil {
		return false // the client has gone
	}
	var begin func() error
	if w.out, begin, w.calm = w.disturb(body); begin() != nil {
		return false // that is what the fault is
	}
	if w.failure != nil {
		w.fail()
		return false
	}
	if w.sendState() != nil {
		return false
	}
	w.listen()
	return true
}

// end is called however the watch has ended. It panics where a fault has broken
// the answer off on another goroutine.
func (w *watching) end() {
	defer w.server.watches.Add(-1)
	if w.bell != nil {
		w.deafen()
	}
	if w.calm != nil {
		w.calm()
	}
}

// concerns is the part of a table that the path and the selectors name.
func (c *call) concerns() (selects, error) {
	chosen, err := parseSelection(c.query, c.resource)
	if err != nil {
		return nil, err
	}
	if c.name != "" {
		if err := chosen.named(c.name); err != nil {
			return nil, err
		}
	}
	if chosen.everything() {
		namespace := c.namespace
		return func(r *record) bool { return namespace == "" || r.namespace == namespace }, nil
	}
	return func(r *record) bool {
		return (c.namespace == "" || r.namespace == c.namespace) && chosen.matches(r)
	}, nil
}

// begin finds where to start.
func (w *watching) begin() {
	table := w.resource.table
	var err error
	switch w.start {
	case fromVersion:
		w.changes, err = table.follow(w.version)
	case fromNow:
		_, w.changes = table.open()
	case fromState:
		if err = w.await(w.version); err == nil {
			w.initial, w.changes = table.open()
		}
	}
	if err != nil {
		w.failure = err
		return
	}
	w.begun = w.changes.seen
}

// sendState sends what there is as ADDED events.
func (w *watching) sendState() error {
	if w.initial == nil {
		return nil
	}
	state := w.initial
	w.initial = nil // and with it what has changed since
	for r := range state.records(w.namespace, nil, false) {
		if !w.selects(r) {
			continue
		}
		if err := w.send(watch.Added, r, w.begun); err != nil {
			return err
		}
	}
	if w.endMark {
		if err := w.sendMark(w.begun, true); err != nil {
			return err
		}
	}
	return w.out.flush()
}

func (w *watching) send(kind watch.EventType, r *record, version uint64) error {
	object, err := w.format.object(w.resource, r.raw)
	if err != nil {
		return err
	}
	return w.out.send(frame{kind: kind, object: object, version: version})
}

// catchUp sends the changes that there are, and does what the clock asks for. It
// reports whether the watch goes on.
func (w *watching) catchUp() bool {
	for {
		sent, err := w.sendChanges()
		if err != nil || w.over() {
			return false
		}
		if sent == 0 {
			return true
		}
	}
}

// waitForEither is a function of its own so that only those pay for a select
// whose resource can end.
//
//go:noinline
func (w *watching) waitForEither(over <-chan struct{}) {
	select {
	case <-w.bell:
	case <-over:
	}
}

// listen has the bell rung for all that a watch waits for.
func (w *watching) listen() {
	w.bell = newBell()
	w.changes.hang(w.bell)
	now := time.Now()
	w.scheduleBookmark(now)
	w.timer = time.AfterFunc(w.nextTime().Sub(now), w.bell.ring)
	w.unheard = context.AfterFunc(w.r.Context(), w.bell.ring)
	if w.r.Context().Value(http.ServerContextKey) != w.server.http {
		// Mounted in another server: the request does not end with ours.
		gone, closed := w.unheard, context.AfterFunc(w.server.alive, w.bell.ring)
		w.unheard = func() bool { closed(); return gone() }
	}
}

func (w *watching) deafen() {
	w.unheard()
	w.timer.Stop()
	w.changes.takeAway(w.bell)
}

// over is whether the watch has come to its end. It does what the clock asks
// for.
func (w *watching) over() bool {
	if w.r.Context().Err() != nil || w.server.alive.Err() != nil {
		return true
	}
	select {
	case <-w.resource.over:
		w.drain()
		return true
	default:
	}
	now := time.Now()
	switch {
	case now.Before(w.nextTime()):
		return false
	case !now.Before(w.deadline) || w.sendBookmark(now) != nil:
		return true
	}
	w.timer.Reset(w.nextTime().Sub(now))
	return false
}

// sendChanges sends the changes that are there, or a part of them. An error is
// that the watch cannot go on: it is behind the history, or the table or the
// client has gone. The client learns why when it comes again.
func (w *watching) sendChanges() (sent int, err error) {
	changes, err := w.changes.next()
	if err != nil {
		return 0, err
	}
	for _, change := range changes {
		if err := w.sendChange(change); err != nil {
			return 0, err
		}
	}
	return len(changes), nil
}

// drain sends what was there when the resource went.
func (w *watching) drain() {
	for last := w.server.store.current(); w.changes.seen < last; {
		if _, err := w.sendChanges(); err != nil {
			return
		}
	}
}

func (w *watching) sendChange(of change) error {
	kind, r, concerned := w.selects.event(of)
	if !concerned {
		return nil
	}
	if err := w.send(kind, r, of.now.version); err != nil {
		return err
	}
	return w.out.flush()
}

// sendBookmark tells up to where every change was sent, and plans the next.
func (w *watching) sendBookmark(now time.Time) error {
	w.scheduleBookmark(now)
	if w.changes.seen <= w.begun {
		return nil
	}
	if err := w.sendMark(w.changes.seen, false); err != nil {
		return err
	}
	return w.out.flush()
}

func (w *watching) sendMark(version uint64, initialEnd bool) error {
	object, err := w.format.object(w.resource, bookmark(w.resource, version, initialEnd))
	if err != nil {
		return err
	}
	return w.out.send(frame{kind: watch.Bookmark, object: object, version: version, initialEnd: initialEnd})
}

// scheduleBookmark plans the next bookmark: regularly, and once shortly before
// the end, so that the client's next watch has little to catch up with.
func (w *watching) scheduleBookmark(now time.Time) {
	w.bookmarkAt = time.Time{}
	if !w.bookmarks {
		return
	}
	const parting = 2 * time.Second
	last := w.deadline.Add(-parting)
	if next := now.Add(w.server.options.bookmarkEvery()); next.Before(last) {
		w.bookmarkAt = next
	} else if now.Before(last) {
		w.bookmarkAt = last
	}
}

// nextTime is when the clock has something to do.
func (w *watching) nextTime() time.Time {
	if w.bookmarkAt.IsZero() {
		return w.deadline
	}
	return w.bookmarkAt
}

// fail sends an ERROR event.
func (w *watching) fail() {
	err := w.failure
	if older := (tooOld{}); errors.As(err, &older) {
		err = expired(older, w.resource)
	}
	status, err := json.Marshal(statusOf(err))
	if err != nil || w.out.send(frame{kind: watch.Error, object: status}) != nil {
		return
	}
	w.out.flush()
}

// OpenWatches is how many watches are being answered.
func (s *Server) OpenWatches() int { return int(s.watches.Load()) }

func (o *Options) bookmarkEvery() time.Duration {
	if o.BookmarkEvery > 0 {
		return o.BookmarkEvery
	}
	return time.Minute
}
