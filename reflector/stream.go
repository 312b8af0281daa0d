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
	b := &initialEvents[T]{r: r, ctx: ctx, watch: w}
	r.pendingUndecoded = undecoded{}
	if !r.replaced(ctx, stageStreaming, r.replace(ctx, b.items)) {
		return
	}
	w.idle.setLimit(r.idleTimeout())
	if b.deliverHeld() {
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
func (b *initialEvents[T]) items(yield func(T, error) bool) {
	var none T
	if b.started {
		yield(none, errReadOnce)
		return
	}
	b.started = true
	for {
		h, out, err := b.r.nextEvent(b.ctx, b.watch)
		if err == nil && b.r.machine.stage != stageStreaming {
			err = b.r.machine.failures.err
		}
		switch {
		case err != nil:
			yield(none, err)
			return
		case out.verdict == verdictInitialEnd:
			b.r.recovery.gotItem()
			b.r.initialStateRead()
			return
		case out.verdict == verdictHold:
			b.held = append(b.held, h)
		case !b.put(h, yield):
			return
		}
	}
}

func (b *initialEvents[T]) put(h watchEvent[T], yield func(T, error) bool) bool {
	if h.itemErr != nil {
		b.r.pendingUndecoded.add(h.itemErr, h.itemErr)
		known, ok, _ := b.r.knownObject(h.itemErr)
		return !ok || yield(known, nil)
	}
	item, ok := b.r.filterItem(b.ctx, h.event.Object)
	return !ok || yield(item, nil)
}

// deliverHeld passes the held events to the store, and then the version that
// they lead to. It reports whether that succeeded.
func (b *initialEvents[T]) deliverHeld() bool {
	for _, h := range b.held {
		if !b.r.deliver(b.ctx, h) {
			return false
		}
	}
	if len(b.held) > 0 && b.r.machine.stored.version != "" {
		b.held = nil
		return b.r.deliver(b.ctx, watchEvent[T]{event: listwatch.Event[T]{Type: watch.Bookmark, ResourceVersion: b.r.machine.stored.version}})
	}
	return true
}
