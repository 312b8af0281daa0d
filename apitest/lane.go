package apitest

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// laneLength is how many frames a lane holds before the watch has to wait.
const laneLength = 1024

// DelayEvents has each event arrive later, those that belong together still
// together. What is held when the watch ends is sent then.
func DelayEvents(by time.Duration) Action {
	return Action{text: fmt.Sprintf("delay events by %s", by), verb: "watch", events: func(at *scene) disturbance {
		return newLane(at, by, (*lane).delay)
	}}
}

// ReorderEvents gathers the events of a span of time, from the first on, and
// sends them in an order in which none is at its place. A bookmark ends the
// span: no event comes after one that covers it.
func ReorderEvents(within time.Duration) Action {
	return Action{text: fmt.Sprintf("reorder the events of each %s", within), verb: "watch", events: func(at *scene) disturbance {
		return newLane(at, within, (*lane).reorder)
	}}
}

// lane carries frames on by a goroutine of its own, so that the watch does not
// wait while they do.
type lane struct {
	*scene
	span  time.Duration
	queue chan queued
	// stopped ends with the goroutine, and says why in its cause.
	stopped context.Context
	stop    context.CancelCauseFunc
	// ending is closed when the watch has ended: nothing is held any longer.
	ending chan struct{}
	done   chan struct{}
	// panicked is what to panic with on the goroutine of the request. It is
	// read after done.
	panicked any
}

type queued struct {
	frame
	due time.Time
	// drained is closed when all before it has gone out; it is no frame then.
	drained chan struct{}
}

func newLane(at *scene, span time.Duration, carryOn func(*lane) error) *lane {
	l := &lane{scene: at, span: span, queue: make(chan queued, laneLength), ending: make(chan struct{}), done: make(chan struct{})}
	l.stopped, l.stop = context.WithCancelCause(context.Background())
	go func() {
		defer close(l.done)
		// What ends the answer does so by a panic, and it is not this
		// goroutine's.
		defer func() {
			if l.panicked = recover(); l.panicked != nil {
				l.stop(errEnded)
				l.endWatch()
			}
		}()
		err := carryOn(l)
		l.stop(err)
		if err != nil {
			l.endWatch()
		}
	}()
	return l
}

func (l *lane) send(f frame) error { return l.put(queued{frame: f}) }

func (l *lane) put(q queued) error {
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

// flush does nothing: the other end of the lane flushes.
func (l *lane) flush() error { return nil }

func (l *lane) drain() error {
	drained := make(chan struct{})
	if err := l.put(queued{frame: frame{kind: watch.Bookmark}, drained: drained}); err != nil {
		return err
	}
	select {
	case <-drained:
		return nil
	case <-l.stopped.Done():
		return context.Cause(l.stopped)
	}
}

func (l *lane) end() {
	close(l.ending)
	close(l.queue)
	<-l.done
	if l.panicked != nil {
		panic(l.panicked)
	}
}

// delay carries each frame on when it is due.
func (l *lane) delay() error {
	for q := range l.queue {
		if time.Until(q.due) > 0 {
			if err := l.next.flush(); err != nil {
				return err
			}
			if err := l.until(q.due); err != nil {
				return err
			}
		}
		if err := l.carry(q); err != nil {
			return err
		}
	}
	return l.next.flush()
}

// carry sends one frame on, and does what flush did not.
func (l *lane) carry(q queued) error {
	if q.drained != nil {
		defer close(q.drained)
		return l.scene.drain()
	}
	if err := l.next.send(q.frame); err != nil || len(l.queue) > 0 {
		return err
	}
	return l.next.flush()
}

// until waits, as long as the fault stands.
func (l *lane) until(due time.Time) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.lifted:
	case <-l.ending:
	case <-l.r.Context().Done():
		return errEnded
	case <-l.server.alive.Done():
		return errEnded
	}
	return nil
}

// reorder carries the events of each span on together.
func (l *lane) reorder() error {
	for q := range l.queue {
		held, last := l.gather(q)
		l.mix(held)
		for _, f := range held {
			if err := l.next.send(f); err != nil {
				return err
			}
		}
		if err := l.next.flush(); err != nil {
			return err
		}
		if last == nil {
			continue
		}
		if err := l.carry(*last); err != nil {
			return err
		}
	}
	return nil
}

// gather is the events of a span that begins with one; last is the frame that
// ended it early and goes behind them.
func (l *lane) gather(first queued) (held []frame, last *queued) {
	timer := time.NewTimer(time.Until(first.due))
	defer timer.Stop()
	for q, more := first, true; more; {
		if !isEvent(q.frame) {
			return held, &q
		}
		held = append(held, q.frame)
		select {
		case q, more = <-l.queue:
		case <-timer.C:
			return held, nil
		case <-l.lifted:
			return held, nil
		case <-l.r.Context().Done():
			return held, nil
		case <-l.server.alive.Done():
			return held, nil
		}
	}
	return held, nil
}

// mix leaves no frame at its place: a cycle through all of them.
func (l *lane) mix(held []frame) {
	if l.isLifted() {
		return
	}
	for i := len(held) - 1; i > 0; i-- {
		j := l.intn(i)
		held[i], held[j] = held[j], held[i]
	}
}
