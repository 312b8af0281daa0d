package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest/internal/fault"
	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// versionWaitTimeout bounds how long a request waits for a version that has not
// been assigned yet.
const versionWaitTimeout = 3 * time.Second

// recordFilter reports whether a watch selects a state of an object.
type recordFilter func(*storage.Record) bool

// event returns the event of a change for a watch. An object that starts to
// match is ADDED; one that stops matching is DELETED in its former state, at
// the version of the change. It reports false if neither state matches.
func (f recordFilter) event(change storage.Change) (watch.EventType, *storage.Record, bool) {
	before := change.Old != nil && f(change.Old)
	after := !change.New.Deleted && f(change.New)
	switch {
	case before && after:
		return watch.Modified, change.New, true
	case after:
		return watch.Added, change.New, true
	case before && change.New.Deleted:
		return watch.Deleted, change.New, true
	case before:
		return watch.Deleted, change.Old.WithVersion(change.New.Version), true
	}
	return "", nil, false
}

// activeWatch is an open watch.
type activeWatch struct {
	*call
	params.WatchOptions
	filter  recordFilter
	out     response.Frames
	changes *storage.Follower
	// initial is the state to send first. failure is the error to send instead of
	// events. Either may be nil.
	initial *storage.Snapshot
	failure error
	// The watch waits on notifier. timer notifies it for bookmarks and the
	// timeout.
	notifier storage.Notifier
	timer    *time.Timer
	// stopContextNotify ends the notifications by contexts. endFaults ends the
	// faults between the watch and its stream.
	stopContextNotify func() bool
	endFaults         func()
	// startVersion is the version after which changes are sent. No bookmark is
	// sent before a later version.
	startVersion uint64
	// deadline and bookmarkAt are the times at which the watch ends and the next
	// bookmark is due; zero is never.
	deadline, bookmarkAt time.Time
}

// watch parses a watch and finds its start. The returned function sends the
// events: once the response has begun, an error is an event of it.
func (c *call) watch() (events func(), err error) {
	options, err := params.ParseWatch(c.query)
	if err != nil {
		return nil, err
	}
	w := &activeWatch{call: c, WatchOptions: options, deadline: time.Now().Add(options.Timeout)}
	if w.filter, err = c.parseRecordFilter(); err != nil {
		return nil, err
	}
	w.findStart()
	c.query = nil // not needed for the rest of the watch, which may be long
	return w.run, nil
}

// run sends the events until the watch ends. It waits with a shallow stack.
func (w *activeWatch) run() {
	w.server.watches.Add(1)
	defer w.end()
	if !w.open() {
		return
	}
	for w.catchUp() {
		if w.resource.Over != nil {
			w.waitForEither(w.resource.Over)
		} else {
			<-w.notifier
		}
	}
}

// open begins the response, and sends the initial events. It reports whether
// the watch continues.
func (w *activeWatch) open() bool {
	body, err := response.OpenStream(w.w, response.MediaTypeJSON)
	if err != nil {
		return false // the client has disconnected
	}
	var begin func() error
	if w.r, w.out, begin, w.endFaults = fault.Inject(w.r, body); begin() != nil {
		return false // the fault has ended the watch
	}
	if w.failure != nil {
		w.fail()
		return false
	}
	if w.sendState() != nil {
		return false
	}
	w.startNotifications()
	return true
}

// end releases the resources of a watch that has ended. It panics if a fault has
// aborted the response on another goroutine.
func (w *activeWatch) end() {
	defer w.server.watches.Add(-1)
	if w.notifier != nil {
		w.stopNotifications()
	}
	if w.endFaults != nil {
		w.endFaults()
	}
}

// parseRecordFilter returns the filter for the path and the selectors of the
// request.
func (c *call) parseRecordFilter() (recordFilter, error) {
	chosen, err := registry.ParseSelection(c.query, c.resource)
	if err != nil {
		return nil, err
	}
	if c.Name != "" {
		if err := chosen.RequirePathName(c.Name); err != nil {
			return nil, err
		}
	}
	if chosen.MatchesAll() {
		namespace := c.Namespace
		return func(r *storage.Record) bool { return namespace == "" || r.Namespace == namespace }, nil
	}
	return func(r *storage.Record) bool {
		return (c.Namespace == "" || r.Namespace == c.Namespace) && chosen.Matches(r)
	}, nil
}

// findStart determines the first events of the watch.
func (w *activeWatch) findStart() {
	table := w.resource.Table
	var err error
	switch w.Start {
	case params.FromVersion:
		w.changes, err = table.Follow(w.Version)
	case params.FromNow:
		_, w.changes = table.Open()
	case params.FromState:
		if err = w.await(w.Version); err == nil {
			w.initial, w.changes = table.Open()
		}
	}
	if err != nil {
		w.failure = err
		return
	}
	w.startVersion = w.changes.Seen
}

// sendState sends the initial state as ADDED events.
func (w *activeWatch) sendState() error {
	if w.initial == nil {
		return nil
	}
	state := w.initial
	w.initial = nil // releases the snapshot
	for r := range state.Records(w.Namespace, nil, false) {
		if !w.filter(r) {
			continue
		}
		if err := w.send(watch.Added, r, w.startVersion); err != nil {
			return err
		}
	}
	if w.InitialEventsEnd {
		if err := w.sendBookmarkObject(w.startVersion, true); err != nil {
			return err
		}
	}
	return w.out.Flush()
}

func (w *activeWatch) send(kind watch.EventType, r *storage.Record, version uint64) error {
	object, err := w.format.Object(w.resource, r.Raw)
	if err != nil {
		return err
	}
	return w.out.Send(response.Frame{Type: kind, Object: object, Version: version})
}

// catchUp sends the available changes, and a bookmark if it is due. It reports
// whether the watch continues.
func (w *activeWatch) catchUp() bool {
	for {
		sent, err := w.sendChanges()
		if err != nil || w.isOver() {
			return false
		}
		if sent == 0 {
			return true
		}
	}
}

// waitForEither is a separate function so that only watches whose resource can
// end need the stack of a select.
//
//go:noinline
func (w *activeWatch) waitForEither(over <-chan struct{}) {
	select {
	case <-w.notifier:
	case <-over:
	}
}

// startNotifications notifies the notifier of everything that a watch waits
// for.
func (w *activeWatch) startNotifications() {
	w.notifier = storage.NewNotifier()
	w.changes.AddNotifier(w.notifier)
	now := time.Now()
	w.scheduleBookmark(now)
	w.timer = time.AfterFunc(w.nextTime().Sub(now), w.notifier.Notify)
	w.stopContextNotify = context.AfterFunc(w.r.Context(), w.notifier.Notify)
	if w.r.Context().Value(http.ServerContextKey) != w.server.http {
		// Mounted in another server: the request does not end with this one.
		stopRequest, stopServer := w.stopContextNotify, context.AfterFunc(w.server.ctx, w.notifier.Notify)
		w.stopContextNotify = func() bool { stopServer(); return stopRequest() }
	}
}

func (w *activeWatch) stopNotifications() {
	w.stopContextNotify()
	w.timer.Stop()
	w.changes.RemoveNotifier(w.notifier)
}

// isOver reports whether the watch has ended. It sends a bookmark if one is
// due.
func (w *activeWatch) isOver() bool {
	if w.r.Context().Err() != nil || w.server.ctx.Err() != nil {
		return true
	}
	select {
	case <-w.resource.Over:
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

// sendChanges sends a batch of the available changes. On an error the watch
// cannot continue: it is behind the history, or the table or the client has
// gone. The client gets the reason on its next request.
func (w *activeWatch) sendChanges() (sent int, err error) {
	changes, err := w.changes.Next()
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

// drain sends the changes before the end of the resource.
func (w *activeWatch) drain() {
	for last := w.server.store.Current(); w.changes.Seen < last; {
		if _, err := w.sendChanges(); err != nil {
			return
		}
	}
}

func (w *activeWatch) sendChange(change storage.Change) error {
	kind, r, matches := w.filter.event(change)
	if !matches {
		return nil
	}
	if err := w.send(kind, r, change.New.Version); err != nil {
		return err
	}
	return w.out.Flush()
}

// sendBookmark sends the version up to which all changes were sent, and
// schedules the next bookmark.
func (w *activeWatch) sendBookmark(now time.Time) error {
	w.scheduleBookmark(now)
	if w.changes.Seen <= w.startVersion {
		return nil
	}
	if err := w.sendBookmarkObject(w.changes.Seen, false); err != nil {
		return err
	}
	return w.out.Flush()
}

func (w *activeWatch) sendBookmarkObject(version uint64, initialEnd bool) error {
	object, err := w.format.Object(w.resource, response.Bookmark(w.resource, version, initialEnd))
	if err != nil {
		return err
	}
	return w.out.Send(response.Frame{Type: watch.Bookmark, Object: object, Version: version, InitialEnd: initialEnd})
}

// scheduleBookmark schedules the next bookmark: periodically, and once shortly
// before the end, so that the client's next watch has few changes to catch up
// with.
func (w *activeWatch) scheduleBookmark(now time.Time) {
	w.bookmarkAt = time.Time{}
	if !w.Bookmarks {
		return
	}
	const beforeEnd = 2 * time.Second
	last := w.deadline.Add(-beforeEnd)
	if next := now.Add(w.server.options.bookmarkEvery()); next.Before(last) {
		w.bookmarkAt = next
	} else if now.Before(last) {
		w.bookmarkAt = last
	}
}

// nextTime returns the time of the next bookmark or of the end.
func (w *activeWatch) nextTime() time.Time {
	if w.bookmarkAt.IsZero() {
		return w.deadline
	}
	return w.bookmarkAt
}

// fail sends an ERROR event.
func (w *activeWatch) fail() {
	err := w.failure
	if older := (storage.TooOld{}); errors.As(err, &older) {
		err = params.ExpiredError(older, w.GroupVersionResource.Resource)
	}
	status, err := json.Marshal(response.StatusOf(err))
	if err != nil || w.out.Send(response.Frame{Type: watch.Error, Object: status}) != nil {
		return
	}
	w.out.Flush()
}

// OpenWatches returns the number of open watches.
func (s *Server) OpenWatches() int { return int(s.watches.Load()) }

func (o *Options) bookmarkEvery() time.Duration {
	if o.BookmarkInterval > 0 {
		return o.BookmarkInterval
	}
	return time.Minute
}
