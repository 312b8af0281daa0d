package controller

import (
	"context"
	"log/slog"
)

type loggerKey struct{}

// Logger is the logger of the reconcile that ctx was given to: it names the
// controller, and the namespace and name of the key. Of any other context it is
// [slog.Default].
func Logger(ctx context.Context) *slog.Logger {
	if r, ok := ctx.Value(loggerKey{}).(*reconciling); ok {
		return r.logger()
	}
	return slog.Default()
}

func (r *reconciling) logger() *slog.Logger {
	r.mu.Lock()
	log := r.log
	r.mu.Unlock()
	if log != nil {
		return log
	}
	log = r.run.loggerOf(r.request)
	r.mu.Lock()
	r.log = log
	r.mu.Unlock()
	return log
}

// loggerOf names the key. Handlers are the user's, so no lock is held.
func (r *run) loggerOf(req Request) *slog.Logger {
	if req.Namespace == "" {
		return r.logger.With("name", req.Name)
	}
	return r.logger.With("namespace", req.Namespace, "name", req.Name)
}
