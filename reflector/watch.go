package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

const (
	// peekTimeout is how long the first event of a watch is awaited before the
	// version is checked.
	peekTimeout = 20 * time.Millisecond
	// checkTimeout bounds the check of a version. A kube-apiserver waits for 3 s
	// before it reports that a version is too large.
	checkTimeout = 8 * time.Second
)

// watch keeps the store up to date from the last version on.
func (r *Reflector[T]) watch(ctx context.Context) {
	w, err := r.openWatch(ctx, metav1.ListOptions{ResourceVersion: r.machine.stored.version}, r.idleTimeout())
	if err != nil {
		r.fail(ctx, failureOf(err))
		return
	}
	defer r.closeWatch(ctx, w)
	r.recovery.gotHeader()
	if r.machine.mustCheckVersion() && r.alreadyFailed(ctx, w) {
		return
	}
	r.step(ctx, input{kind: inputAnswered})
	if r.machine.stage == stageChecking {
		r.check(ctx)
		w.idle.received(time.Now())
	}
	if r.machine.stage == stageWatching {
		r.read(ctx, w)
	}
}

// alreadyFailed reports whether the watch has failed right after its header: its
// version has expired, or its connection is lost. The version need not be
// checked then.
func (r *Reflector[T]) alreadyFailed(ctx context.Context, w *openWatch[T]) bool {
	err := w.peek(peekTimeout)
	if err == nil {
		return false
	}
	f := failureOf(errorOrAbandoned(w.ctx, err))
	if f.reason != ReasonExpired && !f.connectionLost() {
		return false
	}
	r.fail(ctx, f)
	return true
}

// check asks the source whether it has the version from which the open watch
// begins, and passes the result to the machine. A source that was restored from
// an older state reports that the version is too large. The request is a list
// that may not be older than the version; the response header contains the
// answer. The first item is read as well, since a response that breaks off
// proves nothing.
//
// Other reflectors do not wait for the check, since the watch has been answered.
// A failure concerns only this reflector, unless the connection is lost.
func (r *Reflector[T]) check(ctx context.Context) {
	checkCtx, idle := withIdleTimeout(ctx, checkTimeout)
	defer idle.close()
	list, err := r.openList(checkCtx, metav1.ListOptions{
		ResourceVersion: r.machine.stored.version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 1,
	})
	if err == nil {
		err = firstItem(list)
		list.Close()
	}
	if err == nil {
		r.recovery.gotItem()
		r.step(ctx, input{kind: inputChecked})
		return
	}
	if idle.expired.Load() {
		err = &idleTimeoutError{checkTimeout}
	}
	f := failureOf(err)
	if f.connectionLost() {
		f = r.recovery.failed(f)
	}
	if ctx.Err() == nil {
		r.step(ctx, input{kind: inputFailed, failure: f, jitter: randomJitter()})
	}
}

// firstItem reads the beginning of a list. An item that cannot be decoded is not
// an error.
func firstItem[T any](list *listwatch.List[T]) (err error) {
	defer recoverAsError("Items", &err)
	for _, err := range list.Items() {
		if itemError(err) != nil || errors.Is(err, listwatch.ErrRestarted) {
			return nil
		}
		return err
	}
	return nil
}

// closeWatch closes a watch.
func (r *Reflector[T]) closeWatch(ctx context.Context, w *openWatch[T]) {
	if err := w.close(); err != nil {
		r.report(ctx, &Error{Name: r.options.Name, Verb: "watch", Reason: ReasonOther, Err: err})
	}
}

// read passes the events of a watch to the store until the watch ends.
func (r *Reflector[T]) read(ctx context.Context, w *openWatch[T]) {
	for {
		w.idle.suspend(!r.machine.order.isOrdered())
		ev, out, err := r.nextEvent(ctx, w)
		if err != nil {
			return
		}
		if out.verdict != verdictDrop && !r.deliver(ctx, ev) || r.machine.stage != stageWatching {
			return
		}
	}
}

// nextEvent waits for the next event of a watch, and passes it to the machine.
// An error is the end of the watch; the machine has been notified of it.
func (r *Reflector[T]) nextEvent(ctx context.Context, w *openWatch[T]) (ev watchEvent[T], out outcome, err error) {
	ev.event, err = w.next()
	at := time.Now()
	w.idle.received(at)
	if err == nil {
		if r.isNil(ev.event.Object) && hasObject(ev.event.Type) {
			err = fmt.Errorf("%s event of version %q: %w", ev.event.Type, ev.event.ResourceVersion, errNilObject)
			r.fail(ctx, failure{reason: ReasonUndecodable, err: err})
			return ev, out, err
		}
		if err = checkVersion(ev.event.ResourceVersion); err != nil {
			r.fail(ctx, failureOf(err))
			return ev, out, err
		}
		in := input{kind: inputEvent, at: at, eventType: ev.event.Type, version: ev.event.ResourceVersion, initialEventsEnd: ev.event.InitialEventsEnd, jitter: randomJitter()}
		out = r.step(ctx, in)
		if r.machine.stage == stageWatching {
			r.recovery.gotItem()
		}
		return ev, out, nil
	}
	ev.itemErr = dropLongVersion(itemError(err))
	switch {
	case ctx.Err() != nil:
	case w.idle.expired.Load():
		r.recovery.failed(failure{})
		r.step(ctx, input{kind: inputIdle, at: at, jitter: randomJitter()})
	case ev.itemErr != nil:
		_, _, answered := r.knownObject(ev.itemErr)
		out = r.step(ctx, input{
			kind: inputSkipped, at: at, eventType: ev.itemErr.Type, version: ev.itemErr.ResourceVersion,
			storeWrong: ev.itemErr.Type == watch.Deleted && !answered,
			failure:    failure{reason: ReasonUndecodable, err: err}, jitter: randomJitter(),
		})
		return ev, out, nil
	case err == io.EOF:
		var f failure
		if r.machine.stage == stageWatching {
			f = failure{reason: ReasonInterrupted, err: io.EOF}
		}
		f = r.recovery.failed(f)
		r.step(ctx, input{kind: inputEnded, at: at, failure: failure{sharedWait: f.sharedWait, ownBackoff: f.ownBackoff}, jitter: randomJitter()})
	default:
		r.fail(ctx, failureOf(errorOrAbandoned(w.ctx, err)))
	}
	return ev, out, err
}

func hasObject(t watch.EventType) bool {
	return t == watch.Added || t == watch.Modified || t == watch.Deleted
}

func randomJitter() float64 { return rand.Float64() }

func (ev watchEvent[T]) version() string {
	if ev.itemErr != nil {
		return ev.itemErr.ResourceVersion
	}
	return ev.event.ResourceVersion
}

// deliver passes an event to the store. It reports whether that succeeded.
func (r *Reflector[T]) deliver(ctx context.Context, ev watchEvent[T]) bool {
	if trace := r.options.Trace; trace != nil && trace.Event != nil && ev.itemErr == nil && ev.event.Type != watch.Bookmark {
		trace.Event(ev.event.Type, ev.event.Object, ev.event.ResourceVersion)
	}
	if !r.storeMu.lock(ctx) {
		return false
	}
	err := r.applyToStore(ctx, ev)
	r.storeMu.unlock()
	if err == nil {
		r.published.publishProgress(&r.machine)
		r.noteDecoded(ev)
		return true
	}
	err = fmt.Errorf("%s at version %s: %w", ev.event.Type, ev.version(), err)
	if isItemOnly(err) {
		r.published.publishProgress(&r.machine)
		r.report(ctx, &Error{Name: r.options.Name, Verb: "watch", Reason: ReasonStoreFailed, Err: err})
		return true
	}
	r.fail(ctx, failure{reason: ReasonStoreFailed, err: err})
	return false
}

// applyToStore calls the method of the store for an event.
func (r *Reflector[T]) applyToStore(ctx context.Context, ev watchEvent[T]) error {
	if ev.itemErr != nil {
		return r.applyUndecodable(ev.itemErr)
	}
	obj := ev.event.Object
	switch ev.event.Type {
	case watch.Bookmark:
		r.store.Bookmark(ev.event.ResourceVersion)
		return nil
	case watch.Deleted:
		return r.store.Delete(obj)
	}
	switch keep, err := r.applyFilter(obj); {
	case err != nil:
		r.reportFilter(ctx, obj, err)
		r.store.Bookmark(ev.event.ResourceVersion)
		return nil
	case !keep:
		return r.store.Delete(obj)
	}
	if ev.event.Type == watch.Added {
		return r.store.Add(obj)
	}
	return r.store.Update(obj)
}

// applyUndecodable handles an event whose object could not be decoded: the store
// keeps the known object, and removes it if the event is a delete.
func (r *Reflector[T]) applyUndecodable(item *listwatch.ItemError) error {
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
