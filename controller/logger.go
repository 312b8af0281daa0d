package controller

import (
	"context"
	"log/slog"
)

type loggerKey struct{}

// Logger is the logger of the reconcile that ctx was given to: it names the
// controller and the key. Of any other context it is [slog.Default].
func Logger(ctx context.Context) *slog.Logger {
	if r, ok := ctx.Value(loggerKey{}).(*reconciling); ok {
		return r.logger()
	}
	return slog.Default()
}

func (r *reconciling) logger() *slog.Logger {
	return r.run.logger.With("key", r.request.String())
}
