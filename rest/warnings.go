package rest

import (
	"context"
	"hash/maphash"
	"log/slog"
	"net/http"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/thinformer/thinformer/internal/brief"
)

// Warning is a warning in a server response: a deprecated API or an unknown field,
// for example.
type Warning struct {
	Code  int
	Agent string
	Text  string
}

// WarningHandler handles warnings. It is called on the goroutine of the request.
type WarningHandler interface {
	HandleWarning(ctx context.Context, w Warning)
}

// miscPersistentWarning is the code of warnings of the API server (RFC 7234). Other
// codes are about HTTP caches.
const miscPersistentWarning = 299

// warningsOf parses the Warning headers of a response. Malformed ones are skipped,
// because they do not justify an error of a successful request.
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

// warn passes the warnings of a response to the request's handler.
func (r *Request) warn(ctx context.Context, header http.Header) {
	handler := r.warnings
	if handler == nil {
		handler = r.client.warnings
	}
	for _, w := range warningsOf(header) {
		handler.HandleWarning(ctx, w)
	}
}

// warningLog logs each different warning once. A program causes the same few
// warnings with every request.
type warningLog struct {
	logger *slog.Logger // nil: slog.Default() at the time of the warning

	mu sync.Mutex
	// seen has hashes, because the texts are of any length. It is cleared when it
	// is full; a warning may then be logged again.
	seen map[uint64]struct{}
	seed maphash.Seed
}

const (
	maxSeenWarnings = 4096
	maxWarningLen   = 1024
)

func (l *warningLog) HandleWarning(ctx context.Context, w Warning) {
	if w.Code != miscPersistentWarning || w.Text == "" || !l.isNew(w.Text) {
		return
	}
	logger := l.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.WarnContext(ctx, "Warning from the API server", "warning", brief.Text(w.Text, maxWarningLen))
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
	if len(l.seen) == maxSeenWarnings {
		clear(l.seen)
	}
	l.seen[hash] = struct{}{}
	return true
}
