package cache

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// A runLogger is the logger of the context that something runs with, which is
// known only when it is run; until then it is klog's.
type runLogger struct{ running atomic.Pointer[klog.Logger] }

func (l *runLogger) set(logger klog.Logger) { l.running.Store(&logger) }

func (l *runLogger) klog() klog.Logger {
	if logger := l.running.Load(); logger != nil {
		return *logger
	}
	return klog.Background()
}

func (l *runLogger) slog() *slog.Logger { return slog.New(runHandler{of: l}) }

// runHandler asks for the logger each time.
type runHandler struct {
	of *runLogger
	// with adds what the slog.Logger has been given; nil for nothing.
	with func(slog.Handler) slog.Handler
}

func (h runHandler) now() slog.Handler {
	handler := logr.ToSlogHandler(h.of.klog())
	if h.with != nil {
		handler = h.with(handler)
	}
	return handler
}

func (h runHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.now().Enabled(ctx, level)
}

func (h runHandler) Handle(ctx context.Context, record slog.Record) error {
	return h.now().Handle(ctx, record)
}

func (h runHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.and(func(handler slog.Handler) slog.Handler { return handler.WithAttrs(attrs) })
}

func (h runHandler) WithGroup(name string) slog.Handler {
	return h.and(func(handler slog.Handler) slog.Handler { return handler.WithGroup(name) })
}

func (h runHandler) and(more func(slog.Handler) slog.Handler) slog.Handler {
	before := h.with
	return runHandler{of: h.of, with: func(handler slog.Handler) slog.Handler {
		if before != nil {
			handler = before(handler)
		}
		return more(handler)
	}}
}
