package deltafifo

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// callTransform calls the transform for an incoming object; keep is false if it
// is not to be stored. The error is a *TransformError.
func (q *DeltaFIFO[T]) callTransform(key string, obj T) (out T, keep bool, err error) {
	if q.transform == nil {
		return obj, true, nil
	}
	out, keep, err = callRecovered(q.transform, obj)
	if err == nil && keep && nilcheck.IsNil(out) {
		err = indexer.ErrNilObject
	}
	if err != nil {
		var none T
		return none, false, &TransformError{Key: key, Err: err}
	}
	return out, keep, nil
}

// callRecovered calls transform and returns a panic as an error.
func callRecovered[T any](transform func(T) (T, bool, error), obj T) (out T, keep bool, err error) {
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

// maxLogged bounds how many errors of one Replace the default OnError logs.
const maxLogged = 5

// itemErrorReporter reports the item errors of one Replace.
type itemErrorReporter struct {
	onError func(key string, err error)
	logger  *slog.Logger
	errors  int
}

func (r *itemErrorReporter) report(key string, err error) {
	r.errors++
	switch {
	case r.onError != nil:
		r.onError(key, err)
	case r.errors <= maxLogged:
		r.log().Error("Skipped an object of a list; its last known state is kept", "key", key, "err", err)
	}
}

// reportSkipped logs how many errors were not logged.
func (r *itemErrorReporter) reportSkipped() {
	if r.onError == nil && r.errors > maxLogged {
		r.log().Error("Skipped more objects of the list", "count", r.errors-maxLogged)
	}
}

func (r *itemErrorReporter) log() *slog.Logger {
	if r.logger == nil {
		return slog.Default()
	}
	return r.logger
}
