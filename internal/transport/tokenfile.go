package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// tokenFile is a bearer token in a file that is rewritten before the token expires.
// It is read at most once per readInterval, and after a 401. If the file cannot be
// read, the last token is used, which may still be valid.
type tokenFile struct {
	path         string
	readInterval time.Duration
	read         func(path string) (string, error)
	reader       sharedRead
	failures     failureLog

	mu       sync.Mutex
	token    string // "" until there is one
	version  uint64 // incremented with each new token
	lastRead time.Time
	err      error // of the last read
}

func newTokenFile(path, initial string, readInterval time.Duration, logger *slog.Logger) *tokenFile {
	return &tokenFile{path: path, token: initial, readInterval: readInterval, read: ReadToken, failures: failureLog{
		logger:    logger.With("file", path),
		failed:    "Cannot read the bearer token again: the old one stays in use",
		recovered: "The bearer token can be read again",
	}}
}

// authorize waits for the file until ctx ends if there is no token yet.
func (f *tokenFile) authorize(ctx context.Context) (authorization, error) {
	f.mu.Lock()
	missing := f.token == ""
	due := missing || f.lastRead.IsZero() || time.Since(f.lastRead) >= f.readInterval
	if due {
		f.lastRead = time.Now() // one request waits, even if the previous read never ends
	}
	f.mu.Unlock()
	switch {
	case missing:
		f.reader.run(ctx, 0, f.readAgain)
	case due:
		f.reader.run(ctx, rereadTimeout, f.readAgain)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.token != "" {
		return f.authorizationLocked(), nil
	}
	err := f.err
	if err == nil {
		err = fmt.Errorf("%s: %w", f.path, context.Cause(ctx))
	}
	return authorization{}, fmt.Errorf("read the bearer token: %w", err)
}

func (f *tokenFile) rejected(ctx context.Context, rejected authorization) bool {
	f.mu.Lock()
	unchanged := f.version == rejected.version // no other request has read a new token meanwhile
	f.mu.Unlock()
	if unchanged {
		f.reader.run(ctx, rereadTimeout, f.readAgain)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.authorizationLocked().header != rejected.header
}

// readAgain reads the file. At most one call runs at a time.
func (f *tokenFile) readAgain() {
	f.mu.Lock()
	f.lastRead = time.Now() // other requests use the old token without waiting
	f.mu.Unlock()
	token, err := f.read(f.path)
	f.mu.Lock()
	f.err = err
	if err == nil && token != f.token {
		f.token = token
		f.version++
	}
	missing := f.token == ""
	f.mu.Unlock()
	if !missing { // otherwise the request returns the error
		f.failures.record(err)
	}
}

func (f *tokenFile) authorizationLocked() authorization {
	return authorization{header: bearer(f.token), version: f.version}
}

// ReadToken reads a token that is a valid header value. Its errors name the file
// and do not show its contents.
func ReadToken(path string) (string, error) {
	content, err := readBounded(path)
	token := strings.TrimSpace(string(content))
	switch {
	case err != nil:
	case token == "":
		err = errors.New("the file is empty")
	case !FitsHeader(token):
		err = errors.New("it has characters that are invalid in a header, such as a line break")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return token, nil
}
