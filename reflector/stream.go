package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

// stream replaces the contents of the store by the initial events of a watch,
// and keeps the store up to date with the events that follow.
func (r *Reflector[T]) stream(ctx context.Context) {
	idleTimeout := r.idleTimeout()
	if idleTimeout < 0 || idleTimeout > initialEventsTimeout {
		idleTimeout = initialEventsTimeout
	}
	w, err := r.openWatch(ctx, metav1.ListOptions{
		SendInitialEvents:    new(true),
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}, idleTimeout)
	if err != nil {
		r.fail(ctx, failureOf(err))
		return
	}
	defer r.closeWatch(ctx, w)
	r.recovery.gotHeader()
	r.step(ctx, input{kind: inputAnswered})
	s := &initialEvents[T]{r: r, ctx: ctx, watch: w}
	r.pendingUndecoded = undecoded{}
	if !r.replaced(ctx, stageStreaming, r.replace(ctx, s.items)) {
		return
	}
	w.idle.setLimit(r.idleTimeout())
	if s.deliverHeld() {
		r.read(ctx, w)
	}
}

// initialEvents reads the initial state from a watch.
type initialEvents[T any] struct {
	r     *Reflector[T]
	ctx   context.Context
	watch *openWatch[T]

	started bool
	// held has the events before the final bookmark that are not part of the
	// initial state.
	held []watchEvent[T]
}

// watchEvent is an event of a watch, or an object that could not be decoded.
type watchEvent[T any] struct {
	event   listwatch.Event[T]
	itemErr *listwatch.ItemError
}

// items yields the objects of the initial state. If the last element is an
// error, the whole sequence is void.
func (s *initialEvents[T]) items(yield func(T, error) bool) {
	var none T
	if s.started {
		yield(none, errReadOnce)
		return
	}
	s.started = true
	for {
		ev, out, err := s.r.nextEvent(s.ctx, s.watch)
		if err == nil && s.r.machine.stage != stageStreaming {
			err = s.r.machine.failures.err
		}
		switch {
		case err != nil:
			yield(none, err)
			return
		case out.verdict == verdictInitialEnd:
			s.r.recovery.gotItem()
			s.r.initialStateRead()
			return
		case out.verdict == verdictHold:
			s.held = append(s.held, ev)
		case !s.put(ev, yield):
			return
		}
	}
}

func (s *initialEvents[T]) put(ev watchEvent[T], yield func(T, error) bool) bool {
	if ev.itemErr != nil {
		s.r.pendingUndecoded.add(ev.itemErr, ev.itemErr)
		known, ok, _ := s.r.knownObject(ev.itemErr)
		return !ok || yield(known, nil)
	}
	item, ok := s.r.filterItem(s.ctx, ev.event.Object)
	return !ok || yield(item, nil)
}

// deliverHeld passes the held events to the store, and then the version that
// they lead to. It reports whether that succeeded.
func (s *initialEvents[T]) deliverHeld() bool {
	for _, ev := range s.held {
		if !s.r.deliver(s.ctx, ev) {
			return false
		}
	}
	if len(s.held) > 0 && s.r.machine.stored.version != "" {
		s.held = nil
		return s.r.deliver(s.ctx, watchEvent[T]{event: listwatch.Event[T]{Type: watch.Bookmark, ResourceVersion: s.r.machine.stored.version}})
	}
	return true
}
