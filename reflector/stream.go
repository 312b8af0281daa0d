package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

// stream replaces the store's contents by what a watch begins with, and keeps
// the store up to date by what it goes on with.
func (r *Reflector[T]) stream(ctx context.Context) {
	patience := r.patience()
	if patience < 0 || patience > markPatience {
		patience = markPatience
	}
	w, err := r.openWatch(ctx, metav1.ListOptions{
		SendInitialEvents:    new(true),
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}, patience)
	if err != nil {
		r.fail(ctx, failureOf(err))
		return
	}
	defer r.release(ctx, w)
	r.step(ctx, input{kind: answered})
	b := &beginning[T]{r: r, ctx: ctx, watch: w}
	if !r.replaced(ctx, streaming, r.replace(ctx, b.items)) {
		return
	}
	w.silence.setLimit(r.patience())
	if b.catchUp() {
		r.read(ctx, w)
	}
}

// beginning is the initial state as a watch brings it, on its way into the
// store.
type beginning[T any] struct {
	r     *Reflector[T]
	ctx   context.Context
	watch *openWatch[T]

	begun bool
	// held is what came before the mark and is no part of the initial state.
	held []happening[T]
}

// happening is what a watch has brought: an event, or an object that could not
// be decoded.
type happening[T any] struct {
	event  listwatch.Event[T]
	broken *listwatch.ItemError
}

// items are the objects of the initial state. The last one may be an error:
// nothing of it counts then.
func (b *beginning[T]) items(yield func(T, error) bool) {
	var none T
	if b.begun {
		yield(none, errReadOnce)
		return
	}
	b.begun = true
	for {
		h, out, err := b.r.hear(b.ctx, b.watch)
		if err == nil && b.r.machine.stage != streaming {
			err = b.r.machine.failures.err
		}
		switch {
		case err != nil:
			yield(none, err)
			return
		case out.verdict == end:
			return
		case out.verdict == hold:
			b.held = append(b.held, h)
		case !b.put(h, yield):
			return
		}
	}
}

func (b *beginning[T]) put(h happening[T], yield func(T, error) bool) bool {
	if h.broken != nil {
		known, ok, _ := b.r.knownObject(h.broken)
		return !ok || yield(known, nil)
	}
	item, ok := b.r.filtered(b.ctx, h.event.Object)
	return !ok || yield(item, nil)
}

// catchUp gives the store what was held, and the version that it has with that.
// It says whether all is well.
func (b *beginning[T]) catchUp() bool {
	for _, h := range b.held {
		if !b.r.deliver(b.ctx, h) {
			return false
		}
	}
	if len(b.held) > 0 && b.r.machine.version != "" {
		b.held = nil
		return b.r.deliver(b.ctx, happening[T]{event: listwatch.Event[T]{Type: watch.Bookmark, ResourceVersion: b.r.machine.version}})
	}
	return true
}
