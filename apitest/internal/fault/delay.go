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

func (l *eventDelay) Send(f response.Frame) error { return l.enqueue(queuedFrame{Frame: f}) }

func (l *eventDelay) enqueue(q queuedFrame) error {
	if q.drained == nil {
		q.due = time.Now().Add(l.span)
	}
	select {
	case l.queue <- q:
		return nil
	case <-l.stopped.Done():
		return context.Cause(l.stopped)
	}
}

// flush does nothing: the goroutine flushes after it forwards frames.
func (l *eventDelay) Flush() error { return nil }

func (l *eventDelay) drain() error {
	drained := make(chan struct{})
	if err := l.enqueue(queuedFrame{Frame: response.Frame{Type: watch.Bookmark}, drained: drained}); err != nil {
		return err
	}
	select {
	case <-drained:
		return nil
	case <-l.stopped.Done():
		return context.Cause(l.stopped)
	}
}

func (l *eventDelay) end() {
	close(l.closing)
	close(l.queue)
	<-l.done
	if l.panicked != nil {
		panic(l.panicked)
	}
}

// delay forwards each frame when it is due.
func (l *eventDelay) delay() error {
	for q := range l.queue {
		if time.Until(q.due) > 0 {
			if err := l.Next.Flush(); err != nil {
				return err
			}
			if err := l.waitUntil(q.due); err != nil {
				return err
			}
		}
		if err := l.forward(q); err != nil {
			return err
		}
	}
	return l.Next.Flush()
}

// forward sends one frame, and flushes if the queue is empty.
func (l *eventDelay) forward(q queuedFrame) error {
	if q.drained != nil {
		defer close(q.drained)
		return l.Point.drain()
	}
	if err := l.Next.Send(q.Frame); err != nil || len(l.queue) > 0 {
		return err
	}
	return l.Next.Flush()
}

// waitUntil waits until a time, or until the fault is removed.
func (l *eventDelay) waitUntil(due time.Time) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.removed:
	case <-l.closing:
	case <-l.Request.Context().Done():
		return errEnded
	case <-l.closed:
		return errEnded
	}
	return nil
}

// reorder forwards the events of each span together.
func (l *eventDelay) reorder() error {
	for q := range l.queue {
		held, last := l.collectSpan(q)
		l.shuffle(held)
		for _, f := range held {
			if err := l.Next.Send(f); err != nil {
				return err
			}
		}
		if err := l.Next.Flush(); err != nil {
			return err
		}
		if last == nil {
			continue
		}
		if err := l.forward(*last); err != nil {
			return err
		}
	}
	return nil
}

// collectSpan returns the events of the span that begins with first. last is
// the frame that ended the span early; it is sent after them.
func (l *eventDelay) collectSpan(first queuedFrame) (held []response.Frame, last *queuedFrame) {
	timer := time.NewTimer(time.Until(first.due))
	defer timer.Stop()
	for q, more := first, true; more; {
		if !isEvent(q.Frame) {
			return held, &q
		}
		held = append(held, q.Frame)
		select {
		case q, more = <-l.queue:
		case <-timer.C:
			return held, nil
		case <-l.removed:
			return held, nil
		case <-l.Request.Context().Done():
			return held, nil
		case <-l.closed:
			return held, nil
		}
	}
	return held, nil
}

// shuffle permutes the frames in a single cycle, so that no frame keeps its
// position.
func (l *eventDelay) shuffle(held []response.Frame) {
	if l.isRemoved() {
		return
	}
	for i := len(held) - 1; i > 0; i-- {
		j := l.intn(i)
		held[i], held[j] = held[j], held[i]
	}
}
