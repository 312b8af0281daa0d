package deltafifo

import (
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"

	"github.com/thinformer/thinformer/indexer"
)

// transformed runs the transform on an object that came in; keep is false for
// one that is not for the store. The error is a *TransformError.
func (q *DeltaFIFO[T]) transformed(key string, obj T) (out T, keep bool, err error) {
	if q.transform == nil {
		return obj, true, nil
	}
	out, keep, err = guarded(q.transform, obj)
	if err == nil && keep && isNil(out) {
		err = indexer.ErrNilObject
	}
	if err != nil {
		var none T
		return none, false, &TransformError{Key: key, Err: err}
	}
	return out, keep, nil
}

// guarded makes an error of a panic.
func guarded[T any](transform func(T) (T, bool, error), obj T) (out T, keep bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("panic: %w\n%s", p, debug.Stack())
		default:
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return transform(obj)
}

func isNil[T any](obj T) bool {
	v := reflect.ValueOf(obj)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	default:
		return false
	}
}

// maxLogged bounds how many errors of one Replace the default OnError logs.
const maxLogged = 5

// A reporter passes on the item errors of one Replace.
type reporter struct {
	onError func(key string, err error)
	logger  *slog.Logger
	errors  int
}

func (r *reporter) report(key string, err error) {
	r.errors++
	switch {
	case r.onError != nil:
		r.onError(key, err)
	case r.errors <= maxLogged:
		r.log().Error("An object of a list is left as it was", "key", key, "err", err)
	}
}

// done tells how many errors were not logged.
func (r *reporter) done() {
	if r.onError == nil && r.errors > maxLogged {
		r.log().Error("More objects of the list are left as they were", "count", r.errors-maxLogged)
	}
}

func (r *reporter) log() *slog.Logger {
	if r.logger == nil {
		return slog.Default()
	}
	return r.logger
}
