package cache

import (
	"context"
	"log/slog"

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
	return slog.New(logr.ToSlogHandler(*option))
}

// loggerIn is the logger of a context.
func loggerIn(ctx context.Context) *slog.Logger {
	logger := klog.FromContext(ctx)
	return loggerOf(&logger)
}
