package fault

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest/internal/response"
)

// errEnded is returned after a fault has ended the watch.
var errEnded = errors.New("a fault has ended the watch")

// Events is a fault between a watch and its stream. It passes frames to the
// next of its point. The watch calls begin first and end last.
type Events interface {
	response.Frames
	begin() error
	// drain writes everything that was sent to the connection, and waits for it.
	drain() error
	end()
}

// Source makes the fault of a watch's events at a point.
type Source struct {
	at  *Point
	new func() Events
}

// NewSource returns the source of a fault. f is called when the watch begins.
func NewSource(at *Point, f func() Events) Source { return Source{at, f} }

type eventSourcesKey struct{}

// WithSources returns the request with the faults of its watch.
func WithSources(r *http.Request, sources []Source) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), eventSourcesKey{}, sources))
}

// Inject puts the faults of a request between its watch and the stream, the fault
// that was set first nearest to the watch. It returns the request of the watch,
// which a fault can end. The caller calls begin before the first frame; its error
// ends the watch at once. It calls end when the watch has ended, in any case.
func Inject(r *http.Request, out response.Frames) (request *http.Request, first response.Frames, begin func() error, end func()) {
	sources, _ := r.Context().Value(eventSourcesKey{}).([]Source)
	if len(sources) == 0 {
		return r, out, func() error { return nil }, func() {}
	}
	ctx, cancel := context.WithCancel(r.Context())
	all := make([]Events, len(sources))
	for i := len(sources) - 1; i >= 0; i-- {
		sources[i].at.Next, sources[i].at.endWatch = out, cancel
		all[i] = sources[i].new()
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
		// Deferred, so that a panic does not keep the others from ending.
		for _, d := range slices.Backward(all) {
			defer d.end()
		}
	}
	return r.WithContext(ctx), out, begin, end
}

// The defaults of an Events: no action at begin and end, and flushes pass
// through.
func (p *Point) begin() error { return nil }

func (p *Point) end() {}

// Flush implements response.Frames.
func (p *Point) Flush() error { return p.Next.Flush() }

func (p *Point) drain() error {
	if next, ok := p.Next.(Events); ok {
		return next.drain()
	}
	return p.Next.Flush()
}

func isEvent(f response.Frame) bool { return f.Type != watch.Bookmark && f.Type != watch.Error }

// NewWrongKind returns a fault that changes the objects to another kind.
func NewWrongKind(at *Point) Events { return &wrongKind{at} }

// wrongKind changes the objects to another kind.
type wrongKind struct{ *Point }

func (w *wrongKind) Send(f response.Frame) error {
	if f.Type != watch.Error && !w.isRemoved() {
		f.Object = OtherKind(f.Object)
	}
	return w.Next.Send(f)
}

// NewDroppedFrames returns a fault that drops some frames.
func NewDroppedFrames(at *Point, which func(response.Frame) bool) Events {
	return &droppedFrames{at, which}
}

// droppedFrames drops frames.
type droppedFrames struct {
	*Point
	which func(response.Frame) bool
}

func (d *droppedFrames) Send(f response.Frame) error {
	if d.which(f) && !d.isRemoved() {
		return nil
	}
	return d.Next.Send(f)
}

// NewCutBeforeInitialEnd returns a fault that ends the watch after the initial
// events, before the bookmark that ends them.
func NewCutBeforeInitialEnd(at *Point) Events { return &cutBeforeInitialEnd{at} }

type cutBeforeInitialEnd struct{ *Point }

func (c *cutBeforeInitialEnd) Send(f response.Frame) error {
	if !f.InitialEnd || c.isRemoved() {
		return c.Next.Send(f)
	}
	// The watch ends even if the client has disconnected.
	_ = c.Next.Flush()
	return errEnded
}

// NewDuplicatedEvents returns a fault that sends each event twice.
func NewDuplicatedEvents(at *Point) Events { return &duplicatedEvents{at} }

type duplicatedEvents struct{ *Point }

func (d *duplicatedEvents) Send(f response.Frame) error {
	if isEvent(f) && !d.isRemoved() {
		if err := d.Next.Send(f); err != nil {
			return err
		}
	}
	return d.Next.Send(f)
}
