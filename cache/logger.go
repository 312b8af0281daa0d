package cache

import (
	"context"
	"log/slog"
	"reflect"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// loggerOf is the logger of an option, in the form that the rooms take. Whoever
// comes from client-go has set klog up: so that is where the default goes.
func loggerOf(option *klog.Logger) *slog.Logger {
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

// loggerIn is the logger of a context.
func loggerIn(ctx context.Context) *slog.Logger {
	logger := klog.FromContext(ctx)
	return loggerOf(&logger)
}

// klogHandler hands errors to klog as such. What klog's own handler is given it
// passes on as an Info, where klog.SetLogger has set a logger that knows nothing of
// slog.
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

// plainSink is a sink that knows nothing of slog.
type plainSink struct{ logr.LogSink }

// WithCallDepth has the sink say where the log comes from.
func (s plainSink) WithCallDepth(depth int) logr.LogSink {
	if deep, ok := s.LogSink.(logr.CallDepthLogSink); ok {
		return plainSink{deep.WithCallDepth(depth)}
	}
	return s
}
