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
	errReadOnce = errors.New("the items of a Replace can be read once")
	errNotRead  = errors.New("the store has not read the items of a Replace to their end")
)

// list replaces the store's contents by a list.
func (r *Reflector[T]) list(ctx context.Context) {
	l := &relist[T]{r: r, ctx: ctx}
	var listCtx context.Context
	listCtx, l.silence = listen(ctx, r.patience())
	defer l.silence.close()
	var err error
	// Without a version a list is consistent: nothing older than this moment.
	if l.list, err = r.openList(listCtx, metav1.ListOptions{}); err != nil {
		r.fail(ctx, l.failure(err))
		return
	}
	defer l.list.Close()
	err = r.replace(ctx, l.items)
	if l.restarted && r.machine.initial.ended {
		err = r.replace(ctx, l.spooled)
	}
	r.replaced(ctx, listing, err)
}

// replace hands the store an initial state.
func (r *Reflector[T]) replace(ctx context.Context, items iter.Seq2[T, error]) error {
	if !r.turn.take(ctx) {
		return ctx.Err()
	}
	defer r.turn.give()
	if store, ok := r.store.(distrusting); ok && r.machine.distrusts {
		store.Distrust()
	}
	return r.store.Replace(items, func() string { return r.machine.replaceVersion() })
}

// replaced tells the machine what became of a Replace, and says whether the
// store has it. Where the source has failed, the machine has left the stage
// already.
func (r *Reflector[T]) replaced(ctx context.Context, during stage, err error) bool {
	if r.machine.stage != during || ctx.Err() != nil {
		return false
	}
	if err == nil && !r.machine.initial.ended {
		err = errNotRead
	}
	if err != nil {
		r.fail(ctx, failure{reason: StoreFailed, err: err})
		return false
	}
	r.step(ctx, input{kind: replaced})
	return true
}

// relist is one list, on its way into the store.
type relist[T any] struct {
	r       *Reflector[T]
	ctx     context.Context
	list    *listwatch.List[T]
	silence *silence

	begun bool
	// refused: the store wants no more items.
	refused bool
	// restarted: the source had to begin the list again, so that the store has
	// been told items that are void. It is stopped, and what now comes is kept
	// in spool for another Replace.
	restarted bool
	spool     []T
}

// items are those of the list. The last one may be an error: nothing of the
// list counts then.
func (l *relist[T]) items(yield func(T, error) bool) {
	var none T
	if l.begun {
		yield(none, errReadOnce)
		return
	}
	l.begun = true
	err := l.each(func(item T, err error) bool { return l.take(item, err, yield) })
	if err == nil && !l.refused {
		err = l.end()
	} else if err != nil {
		l.r.fail(l.ctx, l.failure(err))
	}
	if err != nil && !l.refused && !l.restarted {
		yield(none, err)
	}
}

func (l *relist[T]) spooled(yield func(T, error) bool) {
	for _, item := range l.spool {
		if !yield(item, nil) {
			return
		}
	}
}

// each reads the list. A panic of the source's is an error; one of the store's,
// to which visit leads, is not ours to catch.
func (l *relist[T]) each(visit func(T, error) bool) (err error) {
	inside := false
	defer func() {
		if !inside {
			if p := recover(); p != nil {
				err = panicked("Items", p)
			}
		}
	}()
	for item, failed := range l.list.Items() {
		if failed != nil && !errors.Is(failed, listwatch.ErrRestarted) && itemError(failed) == nil {
			return failed
		}
		l.silence.came(time.Now())
		inside = true
		goesOn := visit(item, failed)
		inside = false
		l.silence.await()
		if !goesOn {
			return nil
		}
	}
	return nil
}

// take takes in what the list has brought.
func (l *relist[T]) take(item T, err error, yield func(T, error) bool) bool {
	switch broken := itemError(err); {
	case errors.Is(err, listwatch.ErrRestarted):
		if !l.restarted {
			yield(item, err)
		}
		l.restarted, l.spool = true, nil
		return true
	case broken != nil:
		l.r.step(l.ctx, input{kind: skipped, failure: failure{reason: Undecodable, err: err}})
		known, ok, _ := l.r.knownObject(broken)
		return !ok || l.put(known, yield)
	case l.r.isNil(item):
		l.r.step(l.ctx, input{kind: skipped, failure: failure{reason: Undecodable, err: errNilObject}})
		return true
	}
	item, ok := l.r.filtered(l.ctx, item)
	return !ok || l.put(item, yield)
}

func (l *relist[T]) put(item T, yield func(T, error) bool) bool {
	if l.restarted {
		l.spool = append(l.spool, item)
		return true
	}
	l.refused = !yield(item, nil)
	return !l.refused
}

// end tells the machine that the list is whole. The error is why it does not
// count.
func (l *relist[T]) end() error {
	version, err := l.version()
	if err != nil {
		l.r.fail(l.ctx, l.failure(err))
		return err
	}
	if out := l.r.step(l.ctx, input{kind: listed, version: version, dice: dice()}); out.verdict != end {
		return out.report
	}
	return nil
}

func (l *relist[T]) version() (version string, err error) {
	defer recovered("ResourceVersion", &err)
	return l.list.ResourceVersion(), nil
}

func (l *relist[T]) failure(err error) failure {
	if l.silence.broken.Load() {
		err = &silentError{l.r.patience()}
	}
	return failureOf(err)
}
