package rest

import (
	"context"
	"hash/maphash"
	"log/slog"
	"net/http"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Warning is a warning that the server has sent with an answer: a deprecated
// API, a field it does not know.
type Warning struct {
	Code  int
	Agent string
	Text  string
}

// WarningHandler is given each warning, on the goroutine of the request.
type WarningHandler interface {
	HandleWarning(ctx context.Context, w Warning)
}

// lastingWarning is the code of what the API has to say. The others are about
// caches between here and there.
const lastingWarning = 299

// warningsOf reads the Warning headers of an answer. What cannot be read is
// left out: it is not worth failing a request that has succeeded.
func warningsOf(header http.Header) []Warning {
	values := header["Warning"]
	if len(values) == 0 {
		return nil
	}
	parsed, _ := utilnet.ParseWarningHeaders(values)
	warnings := make([]Warning, len(parsed))
	for i, w := range parsed {
		warnings[i] = Warning{Code: w.Code, Agent: w.Agent, Text: w.Text}
	}
	return warnings
}

// warn hands the warnings of an answer to the request's handler.
func (r *Request) warn(ctx context.Context, header http.Header) {
	handler := r.warnings
	if handler == nil {
		handler = r.client.warnings
	}
	for _, w := range warningsOf(header) {
		handler.HandleWarning(ctx, w)
	}
}

// warningLog logs each different warning once. A program warns of the same few
// things on every request.
type warningLog struct {
	logger *slog.Logger // nil: slog.Default() at the time

	mu sync.Mutex
	// seen holds hashes, since the texts are the server's and of any length. It
	// is emptied when it is full: then a warning may be logged again.
	seen map[uint64]struct{}
	seed maphash.Seed
}

const (
	mostSeenWarnings = 4096
	longestWarning   = 1024
)

func (l *warningLog) HandleWarning(ctx context.Context, w Warning) {
	if w.Code != lastingWarning || w.Text == "" || !l.isNew(w.Text) {
		return
	}
	logger := l.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.WarnContext(ctx, "the API server warns", "warning", truncated(w.Text, longestWarning))
}

func (l *warningLog) isNew(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen, l.seed = map[uint64]struct{}{}, maphash.MakeSeed()
	}
	hash := maphash.String(l.seed, text)
	if _, known := l.seen[hash]; known {
		return false
	}
	if len(l.seen) == mostSeenWarnings {
		clear(l.seen)
	}
	l.seen[hash] = struct{}{}
	return true
}
