package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// tokenFile is a bearer token in a file that somebody else writes again before
// the token expires. It is read at most once in a life, and at once when the
// server has refused what was read. A file that cannot be read leaves the token
// as it is: it may well be valid still.
type tokenFile struct {
	path    string
	life    time.Duration
	read    func(path string) (string, error)
	reading reading
	trouble trouble

	mu     sync.Mutex
	token  string // "" until there is one
	number uint64 // grows with each other token
	begun  time.Time
	err    error // of the last read
}

func newTokenFile(path, first string, life time.Duration, logger *slog.Logger) *tokenFile {
	return &tokenFile{path: path, token: first, life: life, read: readToken, trouble: trouble{
		logger: logger.With("file", path),
		begins: "cannot read the bearer token again: the old one stays in use",
		over:   "the bearer token can be read again",
	}}
}

// pass waits for the file as long as ctx lasts if there is no token yet.
func (f *tokenFile) pass(ctx context.Context) (pass, error) {
	f.mu.Lock()
	none := f.token == ""
	due := none || f.begun.IsZero() || time.Since(f.begun) >= f.life
	if due {
		f.begun = time.Now() // one request waits, even if the read before never ends
	}
	f.mu.Unlock()
	switch {
	case none:
		f.reading.await(ctx, 0, f.readAgain)
	case due:
		f.reading.await(ctx, readPatience, f.readAgain)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.token != "" {
		return f.passLocked(), nil
	}
	err := f.err
	if err == nil {
		err = fmt.Errorf("%s: %w", f.path, context.Cause(ctx))
	}
	return pass{}, fmt.Errorf("read the bearer token: %w", err)
}

func (f *tokenFile) refused(ctx context.Context, p pass) bool {
	f.mu.Lock()
	newest := f.number == p.number // nobody else has read another one meanwhile
	f.mu.Unlock()
	if newest {
		f.reading.await(ctx, readPatience, f.readAgain)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.passLocked().authorization != p.authorization
}

// readAgain reads the file; one at a time does.
func (f *tokenFile) readAgain() {
	f.mu.Lock()
	f.begun = time.Now() // who comes now takes the old token and waits for nothing
	f.mu.Unlock()
	token, err := f.read(f.path)
	f.mu.Lock()
	f.err = err
	if err == nil && token != f.token {
		f.token = token
		f.number++
	}
	none := f.token == ""
	f.mu.Unlock()
	if !none { // or the request fails with it
		f.trouble.is(err)
	}
}

func (f *tokenFile) passLocked() pass {
	return pass{authorization: bearer(f.token), number: f.number}
}

// readToken reads a token that can be sent. Its errors name the file and show
// nothing of what is in it.
func readToken(path string) (string, error) {
	content, err := readBounded(path)
	token := strings.TrimSpace(string(content))
	switch {
	case err != nil:
	case token == "":
		err = errors.New("the file is empty")
	case !fitsHeader(token):
		err = errors.New("it has characters that a header cannot carry, such as a line break")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return token, nil
}
