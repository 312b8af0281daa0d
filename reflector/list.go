package reflector

import (
	"context"
	"errors"
	"iter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/listwatch"
)

var (
	errReadOnce = errors.New("the items of a Replace can be read only once")
	errNotRead  = errors.New("the store did not read all items of the Replace")
)

// list replaces the contents of the store by a list.
func (r *Reflector[T]) list(ctx context.Context) {
	l := &listReader[T]{r: r, ctx: ctx}
	r.pendingUndecoded = undecoded{}
	l.listCtx, l.idle = withIdleTimeout(ctx, r.idleTimeout())
	defer l.idle.close()
	r.recovery.begin(listwatch.RequestKind{SlowResponse: true}, l.idle)
	var err error
	// Without a version a list is consistent: it is not older than the request.
	if l.list, err = r.openList(l.listCtx, metav1.ListOptions{}); err != nil {
		r.fail(ctx, l.failure(err))
		return
	}
	r.recovery.gotHeader()
	defer l.list.Close()
	err = r.replace(ctx, l.items)
	if l.restarted && r.machine.initial.complete {
		err = r.replace(ctx, l.spooledItems)
	}
	r.replaced(ctx, stageListing, err)
}

// replace passes an initial state to the store.
func (r *Reflector[T]) replace(ctx context.Context, items iter.Seq2[T, error]) error {
	if !r.storeMu.lock(ctx) {
		return ctx.Err()
	}
	defer r.storeMu.unlock()
	if store, ok := r.store.(VersionInvalidator); ok && (r.machine.setBack.versionsReused || !r.machine.order.isOrdered()) {
		store.InvalidateVersions()
	}
	return r.store.Replace(items, func() string { return r.machine.replaceVersion() })
}

// replaced passes the result of a Replace to the machine, and reports whether
// the store has the state. If the source has failed, the machine has left the
// stage already.
func (r *Reflector[T]) replaced(ctx context.Context, during stage, err error) bool {
	if r.machine.stage != during || ctx.Err() != nil {
		return false
	}
	if err == nil && !r.machine.initial.complete {
		err = errNotRead
	}
	if err != nil {
		r.fail(ctx, failure{reason: ReasonStoreFailed, err: err})
		return false
	}
	r.step(ctx, input{kind: inputReplaced})
	return true
}

// listReader reads one list for a Replace.
type listReader[T any] struct {
	r       *Reflector[T]
	ctx     context.Context
	listCtx context.Context
	list    *listwatch.List[T]
	idle    *idleTimer

	started bool
	// storeStopped: the store accepts no more items.
	storeStopped bool
	// restarted: the source had to begin the list again after the store had
	// received items that are now void. The first Replace fails, and the new
	// items are kept in spool for a second Replace.
	restarted bool
	spool     []T
}

// items yields the items of the list. If the last element is an error, the whole
// sequence is void.
func (l *listReader[T]) items(yield func(T, error) bool) {
	var none T
	if l.started {
		yield(none, errReadOnce)
		return
	}
	l.started = true
	err := l.readItems(func(item T, err error) bool { return l.takeItem(item, err, yield) })
	if err == nil && !l.storeStopped {
		err = l.end()
	} else if err != nil {
		l.r.fail(l.ctx, l.failure(err))
	}
	if err != nil && !l.storeStopped && !l.restarted {
		yield(none, err)
	}
}

func (l *listReader[T]) spooledItems(yield func(T, error) bool) {
	for _, item := range l.spool {
		if !yield(item, nil) {
			return
		}
	}
}

// readItems calls visit for each item of the list. A panic of the source is
// returned as an error; a panic of the store, which visit calls, is not
// recovered.
func (l *listReader[T]) readItems(visit func(T, error) bool) (err error) {
	inVisit := false
	defer func() {
		if !inVisit {
			if p := recover(); p != nil {
				err = panicError("Items", p)
			}
		}
	}()
	for item, failed := range l.list.Items() {
		if failed != nil && !errors.Is(failed, listwatch.ErrRestarted) && itemError(failed) == nil {
			return failed
		}
		l.idle.received(time.Now())
		inVisit = true
		more := visit(item, failed)
		inVisit = false
		l.idle.awaitNext()
		if !more {
			return nil
		}
	}
	return nil
}

// takeItem handles one item of the list.
func (l *listReader[T]) takeItem(item T, err error, yield func(T, error) bool) bool {
	switch broken := itemError(err); {
	case errors.Is(err, listwatch.ErrRestarted):
		if !l.restarted {
			yield(item, err)
		}
		l.restarted, l.spool = true, nil
		l.r.pendingUndecoded = undecoded{}
		return true
	case broken != nil:
		l.r.pendingUndecoded.add(broken, err)
		l.r.step(l.ctx, input{kind: inputSkipped, failure: failure{reason: ReasonUndecodable, err: err}})
		known, ok, _ := l.r.knownObject(broken)
		return !ok || l.put(known, yield)
	case l.r.isNil(item):
		l.r.pendingUndecoded.add(nil, errNilObject)
		l.r.step(l.ctx, input{kind: inputSkipped, failure: failure{reason: ReasonUndecodable, err: errNilObject}})
		return true
	}
	item, ok := l.r.filterItem(l.ctx, item)
	return !ok || l.put(item, yield)
}

func (l *listReader[T]) put(item T, yield func(T, error) bool) bool {
	if l.restarted {
		l.spool = append(l.spool, item)
		return true
	}
	l.storeStopped = !yield(item, nil)
	return !l.storeStopped
}

// end passes the end of the list to the machine. It returns why the list is
// rejected.
func (l *listReader[T]) end() error {
	version, err := l.version()
	if err != nil {
		l.r.fail(l.ctx, l.failure(err))
		return err
	}
	l.r.recovery.gotItem()
	if out := l.r.step(l.ctx, input{kind: inputListed, version: version, jitter: randomJitter()}); out.verdict != verdictInitialEnd {
		return out.report
	}
	l.r.initialStateRead()
	return nil
}

func (l *listReader[T]) version() (version string, err error) {
	defer recoverAsError("ResourceVersion", &err)
	version = l.list.ResourceVersion()
	return version, checkVersion(version)
}

func (l *listReader[T]) failure(err error) failure {
	if l.idle.expired.Load() {
		err = &idleTimeoutError{l.r.idleTimeout()}
	}
	return failureOf(errorOrAbandoned(l.listCtx, err))
}
