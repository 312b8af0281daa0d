package plane

import (
	"io"
	"sync"
)

// keptOfLog is the number of bytes of a server's log that are kept. A server that fails to
// start logs the reason in its last lines.
const keptOfLog = 64 << 10

// tail keeps the end of what is written to it, and forwards all of it.
type tail struct {
	also io.Writer // or nil

	mu   sync.Mutex
	kept []byte // at most twice keptOfLog
}

// Write never fails: a server must not block or end because its log is not read.
func (t *tail) Write(text []byte) (int, error) {
	if t.also != nil {
		_, _ = t.also.Write(text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, text...)
	if over := len(t.kept) - keptOfLog; over > keptOfLog {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
	}
	return len(text), nil
}

// String returns the end of the log.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept[max(0, len(t.kept)-keptOfLog):])
}
