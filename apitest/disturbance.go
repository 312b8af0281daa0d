package apitest

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/watch"
)

// errEnded: a fault has ended the watch.
var errEnded = errors.New("a fault has ended the watch")

// disturbance is a fault between a watch and its stream. It hands what it lets
// pass to the scene's next. The watch calls begin first and end last.
type disturbance interface {
	frames
	begin() error
	// drain has everything that was sent on the wire, and waits for it.
	drain() error
	end()
}

type disturbancesKey struct{}

// withDisturbances has the watch that a request asks for disturbed.
func withDisturbances(r *http.Request, by []*scene) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), disturbancesKey{}, by))
}

// disturb puts the faults of the request between its watch and the stream, the
// one that was set first nearest to the watch. begin comes before the first
// frame, and its error ends the watch at once; end is to be called when the watch
// has ended, however far it came.
func (c *call) disturb(out frames) (disturbed frames, begin func() error, end func()) {
	scenes, _ := c.r.Context().Value(disturbancesKey{}).([]*scene)
	if len(scenes) == 0 {
		return out, func() error { return nil }, func() {}
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	c.r = c.r.WithContext(ctx)
	all := make([]disturbance, len(scenes))
	for i := len(scenes) - 1; i >= 0; i-- {
		scenes[i].next, scenes[i].endWatch = out, cancel
		all[i] = scenes[i].fault.Do.events(scenes[i])
		out = all[i]
	}
	begin = func() error {
		for _, d := range all {
			if err := d.begin(); err != nil {
				return err
			}
		}
		return nil
	}
	end = func() {
		defer cancel()
		// Deferred, for one that panics must not keep the others from ending.
		for _, d := range slices.Backward(all) {
			defer d.end()
		}
	}
	return out, begin, end
}

// Most disturbances do nothing at the edges, and let flushes pass.
func (at *scene) begin() error { return nil }
func (at *scene) end()         {}
func (at *scene) flush() error { return at.next.flush() }

func (at *scene) drain() error {
	if next, ok := at.next.(disturbance); ok {
		return next.drain()
	}
	return at.next.flush()
}

func isEvent(f frame) bool { return f.kind != watch.Bookmark && f.kind != watch.Error }

// countdown lets n events pass, and then acts; without an act, it breaks off in
// the middle of the next frame.
type countdown struct {
	*scene
	left  int
	act   func(*scene) bool
	acted bool
	ended bool
}

func (d *countdown) begin() error { return d.strike() }

func (d *countdown) send(f frame) error {
	if d.ended {
		return errEnded
	}
	if d.act == nil && d.left <= 0 && !d.isLifted() {
		d.breakIn(f)
	}
	if err := d.next.send(f); err != nil {
		return err
	}
	if isEvent(f) {
		d.left--
	}
	return d.strike()
}

// strike acts when it is time.
func (d *countdown) strike() error {
	if d.acted || d.act == nil || d.left > 0 || d.isLifted() {
		return nil
	}
	d.acted = true
	if err := d.drain(); err != nil {
		return err
	}
	if conn := connectionOf(d.r.Context()); conn != nil && d.r.ProtoMajor == 2 {
		conn.calm()
	}
	if d.ended = d.act(d.scene); d.ended {
		return errEnded
	}
	return nil
}

// breakIn sends half of a frame.
func (d *countdown) breakIn(f frame) {
	if d.drain() == nil {
		text := f.appendTo(nil)
		if _, err := d.out.Write(text[:len(text)/2]); err == nil {
			d.out.Flush()
		}
	}
	d.abort()
}

// wrongKind sends objects of another kind.
type wrongKind struct{ *scene }

func (d *wrongKind) send(f frame) error {
	if f.kind != watch.Error && !d.isLifted() {
		f.object = otherKind(f.object)
	}
	return d.next.send(f)
}

// dropped leaves frames out.
type dropped struct {
	*scene
	which func(frame) bool
}

func (d *dropped) send(f frame) error {
	if d.which(f) && !d.isLifted() {
		return nil
	}
	return d.next.send(f)
}

// DropBookmarks sends no bookmark, the one that ends the initial events
// included.
func DropBookmarks() Action {
	return Action{text: "drop all bookmarks", verb: "watch", events: func(at *scene) disturbance {
		return &dropped{at, func(f frame) bool { return f.kind == watch.Bookmark }}
	}}
}

// DropInitialEventsEnd does not send the bookmark that ends the initial events,
// as a server does that does not know of it.
func DropInitialEventsEnd() Action {
	return Action{text: "drop the bookmark that ends the initial events", verb: "watch", events: func(at *scene) disturbance {
		return &dropped{at, func(f frame) bool { return f.initialEnd }}
	}}
}

// CutBeforeInitialEventsEnd ends the watch when all initial events were sent,
// before the bookmark that says so.
func CutBeforeInitialEventsEnd() Action {
	return Action{text: "end the stream before the bookmark that ends the initial events", verb: "watch", events: func(at *scene) disturbance {
		return &cutBefore{at}
	}}
}

type cutBefore struct{ *scene }

func (d *cutBefore) send(f frame) error {
	if !f.initialEnd || d.isLifted() {
		return d.next.send(f)
	}
	// The client may have gone: the watch ends all the same.
	_ = d.next.flush()
	return errEnded
}

// DuplicateEvents sends each event twice.
func DuplicateEvents() Action {
	return Action{text: "send each event twice", verb: "watch", events: func(at *scene) disturbance {
		return &twice{at}
	}}
}

type twice struct{ *scene }

func (d *twice) send(f frame) error {
	if isEvent(f) && !d.isLifted() {
		if err := d.next.send(f); err != nil {
			return err
		}
	}
	return d.next.send(f)
}
