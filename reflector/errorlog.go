package reflector

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// logPause is how long a kind of error is not logged again.
const logPause = time.Minute

// errorLog is where errors go if nobody wants them: the first of a kind is
// logged, and after that at most one of it a minute, with how many there were.
type errorLog struct {
	logger *slog.Logger
	name   string

	mu sync.Mutex
	// kinds has what was logged of each. There are as many as Reasons and verbs.
	kinds map[errorKind]*loggedKind
}

type errorKind struct {
	verb   string
	reason Reason
}

type loggedKind struct {
	last    time.Time
	dropped int
}

func (l *errorLog) report(ctx context.Context, err error, at time.Time) {
	kind := errorKind{reason: Other}
	if known := (*Error)(nil); errors.As(err, &known) {
		kind = errorKind{known.Verb, known.Reason}
	}
	dropped, due := l.due(kind, at)
	if !due {
		return
	}
	logger := l.logger
	if logger == nil {
		logger = slog.Default()
	}
	attributes := []slog.Attr{slog.String("source", l.name), slog.String("reason", string(kind.reason)), slog.Any("err", err)}
	if dropped > 0 {
		attributes = append(attributes, slog.Int("more", dropped))
	}
	logger.LogAttrs(ctx, slog.LevelWarn, "Cannot keep up with a source", attributes...)
}

// due says whether an error of a kind is to be logged, and how many were not
// since the last one that was.
func (l *errorLog) due(kind errorKind, at time.Time) (dropped int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	logged := l.kinds[kind]
	switch {
	case logged == nil:
		if l.kinds == nil {
			l.kinds = map[errorKind]*loggedKind{}
		}
		l.kinds[kind] = &loggedKind{last: at}
		return 0, true
	case at.Sub(logged.last) < logPause:
		logged.dropped++
		return 0, false
	}
	dropped = logged.dropped
	logged.last, logged.dropped = at, 0
	return dropped, true
}

// LogErrors is the WatchErrorHandler that a reflector of this name has where
// Options say nothing: for whoever finds out later whether there is another one.
func LogErrors(name string, logger *slog.Logger) func(ctx context.Context, err error) {
	log := &errorLog{logger: logger, name: name}
	return func(ctx context.Context, err error) { log.report(ctx, err, time.Now()) }
}
