package reflector

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// RecoverPanics returns a WatchErrorHandler that calls handler and recovers its
// panics, as a reflector with this name does: a panic ends only that call. The
// panic is logged with its stack, at most once a minute, and the error is logged as
// it would be without a handler. For a nil handler RecoverPanics returns nil.
func RecoverPanics(name string, logger *slog.Logger, handler func(context.Context, error)) func(context.Context, error) {
	if handler == nil {
		return nil
	}
	errs := &errorLog{logger: logger}
	var mu sync.Mutex
	var panics lineLimits
	return func(ctx context.Context, err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			now := time.Now()
			mu.Lock()
			_, due := panics.due(errorKind{}, name, false, now)
			mu.Unlock()
			if due {
				orDefault(logger).ErrorContext(ctx, "WatchErrorHandler panicked", "source", name, "panic", p, "stack", string(debug.Stack()))
			}
			errs.report(ctx, name, err, now)
		}()
		handler(ctx, err)
	}
}

func orDefault(logger *slog.Logger) *slog.Logger {
	if logger == nil {
		return slog.Default()
	}
	return logger
}
