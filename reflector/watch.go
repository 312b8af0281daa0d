package reflector

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

// watch keeps the store up to date from the last version on.
func (r *Reflector[T]) watch(ctx context.Context) {
	w, err := r.openWatch(ctx, metav1.ListOptions{ResourceVersion: r.machine.version}, r.patience())
	if err != nil {
		r.fail(ctx, failureOf(err))
		return
	}
	defer r.release(ctx, w)
	r.step(ctx, input{kind: answered})
	r.read(ctx, w)
}

// check asks the source whether it still has the version from which is to be
// watched: one that has been set back says that it is too large. A list that
// may not be older than that has the answer in its beginning, and is not read.
func (r *Reflector[T]) check(ctx context.Context) {
	checkCtx, silence := listen(ctx, r.patience())
	defer silence.close()
	list, err := r.openList(checkCtx, metav1.ListOptions{
		ResourceVersion: r.machine.version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 1,
	})
	if err != nil {
		if silence.broken.Load() {
			err = &silentError{r.patience()}
		}
		r.fail(ctx, failureOf(err))
		return
	}
	list.Close()
	r.step(ctx, input{kind: checked})
}

// release closes a watch.
func (r *Reflector[T]) release(ctx context.Context, w *openWatch[T]) {
	if err := w.close(); err != nil {
		r.report(ctx, &Error{Name: r.options.Name, Verb: "watch", Reason: Other, Err: err})
	}
}

// read gives the store what a watch brings, until that is over.
func (r *Reflector[T]) read(ctx context.Context, w *openWatch[T]) {
	for {
		h, out, err := r.hear(ctx, w)
		if err != nil {
			return
		}
		if out.verdict != drop && !r.deliver(ctx, h) || r.machine.stage != watching {
			return
		}
	}
}

// hear waits for the next thing that a watch brings, and asks the machine what
// becomes of it. An error is the end of the watch; the machine knows of it.
func (r *Reflector[T]) hear(ctx context.Context, w *openWatch[T]) (h happening[T], out outcome, err error) {
	h.event, err = w.next()
	at := time.Now()
	w.silence.came(at)
	if err == nil {
		if r.isNil(h.event.Object) && hasObject(h.event.Type) {
			err = fmt.Errorf("%s event of version %q: %w", h.event.Type, h.event.ResourceVersion, errNilObject)
			r.fail(ctx, failure{reason: Undecodable, err: err})
			return h, out, err
		}
		in := input{kind: event, at: at, typ: h.event.Type, version: h.event.ResourceVersion, end: h.event.InitialEventsEnd, dice: dice()}
		out = r.step(ctx, in)
		return h, out, nil
	}
	h.broken = itemError(err)
	switch {
	case ctx.Err() != nil:
	case w.silence.broken.Load():
		r.step(ctx, input{kind: silent, at: at, dice: dice()})
	case h.broken != nil:
		_, _, sure := r.knownObject(h.broken)
		out = r.step(ctx, input{
			kind: skipped, at: at, typ: h.broken.Type, version: h.broken.ResourceVersion,
			lost:    h.broken.Type == watch.Deleted && !sure,
			failure: failure{reason: Undecodable, err: err}, dice: dice(),
		})
		return h, out, nil
	case err == io.EOF:
		r.step(ctx, input{kind: ended, at: at, early: at.Before(w.until), dice: dice()})
	default:
		r.fail(ctx, failureOf(err))
	}
	return h, out, err
}

func hasObject(t watch.EventType) bool {
	return t == watch.Added || t == watch.Modified || t == watch.Deleted
}

func dice() float64 { return rand.Float64() }

func (h happening[T]) version() string {
	if h.broken != nil {
		return h.broken.ResourceVersion
	}
	return h.event.ResourceVersion
}

// deliver gives the store what has happened. It says whether all is well.
func (r *Reflector[T]) deliver(ctx context.Context, h happening[T]) bool {
	if trace := r.options.Trace; trace != nil && trace.Event != nil && h.broken == nil && h.event.Type != watch.Bookmark {
		trace.Event(h.event.Type, h.event.Object, h.event.ResourceVersion)
	}
	if !r.turn.take(ctx) {
		return false
	}
	err := r.tell(ctx, h)
	r.turn.give()
	if err == nil {
		r.board.progress(&r.machine)
		return true
	}
	err = fmt.Errorf("%s at version %s: %w", h.event.Type, h.version(), err)
	if costsItemOnly(err) {
		r.board.progress(&r.machine)
		r.report(ctx, &Error{Name: r.options.Name, Verb: "watch", Reason: StoreFailed, Err: err})
		return true
	}
	r.fail(ctx, failure{reason: StoreFailed, err: err})
	return false
}

// tell calls the store.
func (r *Reflector[T]) tell(ctx context.Context, h happening[T]) error {
	if h.broken != nil {
		return r.tellBroken(h.broken)
	}
	obj := h.event.Object
	switch h.event.Type {
	case watch.Bookmark:
		r.store.Bookmark(h.event.ResourceVersion)
		return nil
	case watch.Deleted:
		return r.store.Delete(obj)
	}
	switch keep, err := r.wanted(obj); {
	case err != nil:
		r.reportFilter(ctx, obj, err)
		r.store.Bookmark(h.event.ResourceVersion)
		return nil
	case !keep:
		return r.store.Delete(obj)
	}
	if h.event.Type == watch.Added {
		return r.store.Add(obj)
	}
	return r.store.Update(obj)
}

// tellBroken does what can be done without the object: what is known of it
// stays, and goes when it is gone.
func (r *Reflector[T]) tellBroken(item *listwatch.ItemError) error {
	if item.Type == watch.Deleted {
		if obj, ok, _ := r.knownObject(item); ok {
			return r.store.Delete(obj)
		}
	}
	if item.ResourceVersion != "" {
		r.store.Bookmark(item.ResourceVersion)
	}
	return nil
}
