package fault

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest/internal/response"
)

// maxQueuedFrames is the number of frames that are queued before the watch has
// to wait.
const maxQueuedFrames = 1024

// eventDelay forwards frames on its own goroutine, so that the watch does not
// wait for delayed frames.
type eventDelay struct {
	*Point
	span  time.Duration
	queue chan queuedFrame
	// stopped is canceled when the goroutine ends. Its cause is the reason.
	stopped context.Context
	stop    context.CancelCauseFunc
	// closing is closed when the watch has ended: frames are no longer delayed.
	closing chan struct{}
	done    chan struct{}
	// panicked is the value to panic with on the goroutine of the request. It is
	// read after done.
	panicked any
}

type queuedFrame struct {
	response.Frame
	due time.Time
	// drained is closed when all frames before it have been sent. The item is then
	// not a frame.
	drained chan struct{}
}

// NewDelay returns a fault that delays each event.
func NewDelay(at *Point, delay time.Duration) Events {
	return newEventDelay(at, delay, (*eventDelay).delay)
}

// NewReorder returns a fault that sends the events of each span in another order.
func NewReorder(at *Point, maxDelay time.Duration) Events {
	return newEventDelay(at, maxDelay, (*eventDelay).reorder)
}

func newEventDelay(at *Point, span time.Duration, run func(*eventDelay) error) *eventDelay {
	l := &eventDelay{Point: at, span: span, queue: make(chan queuedFrame, maxQueuedFrames), closing: make(chan struct{}), done: make(chan struct{})}
	l.stopped, l.stop = context.WithCancelCause(context.Background())
	go func() {
		defer close(l.done)
		// Actions that end a response do so by a panic. It must happen on the
		// goroutine of the request.
		defer func() {
			if l.panicked = recover(); l.panicked != nil {
				l.stop(errEnded)
				l.endWatch()
			}
		}()
		err := run(l)
		l.stop(err)
		if err != nil {
			l.endWatch()
		}
	}()
	return l
}

func (d *eventDelay) Send(f response.Frame) error { return d.enqueue(queuedFrame{Frame: f}) }

func (d *eventDelay) enqueue(q queuedFrame) error {
	if q.drained == nil {
		q.due = time.Now().Add(d.span)
	}
	select {
	case d.queue <- q:
		return nil
	case <-d.stopped.Done():
		return context.Cause(d.stopped)
	}
}

// flush does nothing: the goroutine flushes after it forwards frames.
func (d *eventDelay) Flush() error { return nil }

func (d *eventDelay) drain() error {
	drained := make(chan struct{})
	if err := d.enqueue(queuedFrame{Frame: response.Frame{Type: watch.Bookmark}, drained: drained}); err != nil {
		return err
	}
	select {
	case <-drained:
		return nil
	case <-d.stopped.Done():
		return context.Cause(d.stopped)
	}
}

func (d *eventDelay) end() {
	close(d.closing)
	close(d.queue)
	<-d.done
	if d.panicked != nil {
		panic(d.panicked)
	}
}

// delay forwards each frame when it is due.
func (d *eventDelay) delay() error {
	for q := range d.queue {
		if time.Until(q.due) > 0 {
			if err := d.Next.Flush(); err != nil {
				return err
			}
			if err := d.waitUntil(q.due); err != nil {
				return err
			}
		}
		if err := d.forward(q); err != nil {
			return err
		}
	}
	return d.Next.Flush()
}

// forward sends one frame, and flushes if the queue is empty.
func (d *eventDelay) forward(q queuedFrame) error {
	if q.drained != nil {
		defer close(q.drained)
		return d.Point.drain()
	}
	if err := d.Next.Send(q.Frame); err != nil || len(d.queue) > 0 {
		return err
	}
	return d.Next.Flush()
}

// waitUntil waits until a time, or until the fault is removed.
func (d *eventDelay) waitUntil(due time.Time) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.removed:
	case <-d.closing:
	case <-d.Request.Context().Done():
		return errEnded
	case <-d.closed:
		return errEnded
	}
	return nil
}

// reorder forwards the events of each span together.
func (d *eventDelay) reorder() error {
	for q := range d.queue {
		held, last := d.collectSpan(q)
		d.shuffle(held)
		for _, f := range held {
			if err := d.Next.Send(f); err != nil {
				return err
			}
		}
		if err := d.Next.Flush(); err != nil {
			return err
		}
		if last == nil {
			continue
		}
		if err := d.forward(*last); err != nil {
			return err
		}
	}
	return nil
}

// collectSpan returns the events of the span that begins with first. last is
// the frame that ended the span early; it is sent after them.
func (d *eventDelay) collectSpan(first queuedFrame) (held []response.Frame, last *queuedFrame) {
	timer := time.NewTimer(time.Until(first.due))
	defer timer.Stop()
	for q, more := first, true; more; {
		if !isEvent(q.Frame) {
			return held, &q
		}
		held = append(held, q.Frame)
		select {
		case q, more = <-d.queue:
		case <-timer.C:
			return held, nil
		case <-d.removed:
			return held, nil
		case <-d.Request.Context().Done():
			return held, nil
		case <-d.closed:
			return held, nil
		}
	}
	return held, nil
}

// shuffle permutes the frames in a single cycle, so that no frame keeps its
// position.
func (d *eventDelay) shuffle(held []response.Frame) {
	if d.isRemoved() {
		return
	}
	for i := len(held) - 1; i > 0; i-- {
		j := d.intn(i)
		held[i], held[j] = held[j], held[i]
	}
}
