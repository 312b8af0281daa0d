package klogger

import (
	"context"
	"log/slog"
	"reflect"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// FromOption converts the logger of an option. The default is klog's, which
// programs written for client-go have configured.
func FromOption(option *klog.Logger) *slog.Logger {
	if option == nil {
		background := klog.Background()
		option = &background
	}
	handler := logr.ToSlogHandler(*option)
	if sink := option.GetSink(); reflect.TypeOf(sink) == reflect.TypeOf(klog.NewKlogr().GetSink()) {
		plain := logr.ToSlogHandler(option.WithSink(plainSink{sink}.WithCallDepth(1)))
		return slog.New(klogHandler{handler: handler, errors: plain})
	}
	return slog.New(handler)
}

// FromContext converts the logger of a context.
func FromContext(ctx context.Context) *slog.Logger {
	logger := klog.FromContext(ctx)
	return FromOption(&logger)
}

// klogHandler passes errors to klog as errors. klog's own slog handler passes
// them as Info if klog.SetLogger has set a logger that does not support slog.
type klogHandler struct {
	handler, errors slog.Handler
}

func (h klogHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.handler.Enabled(ctx, level)
}

func (h klogHandler) Handle(ctx context.Context, record slog.Record) error {
	if record.Level >= slog.LevelError {
		return h.errors.Handle(ctx, record)
	}
	return h.handler.Handle(ctx, record)
}

func (h klogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return klogHandler{handler: h.handler.WithAttrs(attrs), errors: h.errors.WithAttrs(attrs)}
}

func (h klogHandler) WithGroup(name string) slog.Handler {
	return klogHandler{handler: h.handler.WithGroup(name), errors: h.errors.WithGroup(name)}
}

// plainSink hides the slog support of a sink.
type plainSink struct{ logr.LogSink }

// WithCallDepth adds depth to the call depth of the sink.
func (s plainSink) WithCallDepth(depth int) logr.LogSink {
	if deep, ok := s.LogSink.(logr.CallDepthLogSink); ok {
		return plainSink{deep.WithCallDepth(depth)}
	}
	return s
}

// RunLogger is the logger of the context of Run. Until Run is called it is
// klog's.
type RunLogger struct{ running atomic.Pointer[klog.Logger] }

// Set sets the logger of the context of Run.
func (l *RunLogger) Set(logger klog.Logger) { l.running.Store(&logger) }

// Klog returns the current logger.
func (l *RunLogger) Klog() klog.Logger {
	if logger := l.running.Load(); logger != nil {
		return *logger
	}
	return klog.Background()
}

// Slog returns a logger that uses the current logger for each record.
func (l *RunLogger) Slog() *slog.Logger { return slog.New(runHandler{logger: l}) }

// runHandler is a slog.Handler that uses the current logger for each record.
type runHandler struct {
	logger *RunLogger
	// with adds the attributes and groups of the slog.Logger; nil if there are
	// none.
	with func(slog.Handler) slog.Handler
}

func (h runHandler) handler() slog.Handler {
	handler := logr.ToSlogHandler(h.logger.Klog())
	if h.with != nil {
		handler = h.with(handler)
	}
	return handler
}

func (h runHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.handler().Enabled(ctx, level)
}

func (h runHandler) Handle(ctx context.Context, record slog.Record) error {
	return h.handler().Handle(ctx, record)
}

func (h runHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.extend(func(handler slog.Handler) slog.Handler { return handler.WithAttrs(attrs) })
}

func (h runHandler) WithGroup(name string) slog.Handler {
	return h.extend(func(handler slog.Handler) slog.Handler { return handler.WithGroup(name) })
}

func (h runHandler) extend(transform func(slog.Handler) slog.Handler) slog.Handler {
	before := h.with
	return runHandler{logger: h.logger, with: func(handler slog.Handler) slog.Handler {
		if before != nil {
			handler = before(handler)
		}
		return transform(handler)
	}}
}
