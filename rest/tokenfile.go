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
	trouble trouble

	mu     sync.Mutex
	token  string // "" until there is one
	number uint64 // grows with each other token
	read   time.Time
}

func newTokenFile(path, first string, life time.Duration, logger *slog.Logger) *tokenFile {
	return &tokenFile{path: path, token: first, life: life, trouble: trouble{
		logger: logger.With("file", path),
		begins: "cannot read the bearer token again: the old one stays in use",
		over:   "the bearer token can be read again",
	}}
}

func (f *tokenFile) pass(context.Context) (pass, error) {
	f.mu.Lock()
	var err error
	tried := f.read.IsZero() || f.token == "" || time.Since(f.read) >= f.life
	if tried {
		err = f.readLocked()
	}
	p, none := f.passLocked(), f.token == ""
	f.mu.Unlock()
	if none {
		return pass{}, fmt.Errorf("read the bearer token: %w", err)
	}
	if tried {
		f.trouble.is(err)
	}
	return p, nil
}

func (f *tokenFile) refused(_ context.Context, p pass) bool {
	f.mu.Lock()
	var err error
	tried := f.number == p.number // nobody else has read another one meanwhile
	if tried {
		err = f.readLocked()
	}
	other := f.passLocked().authorization != p.authorization
	f.mu.Unlock()
	if tried {
		f.trouble.is(err)
	}
	return other
}

func (f *tokenFile) readLocked() error {
	f.read = time.Now()
	token, err := readToken(f.path)
	if err != nil {
		return err
	}
	if token != f.token {
		f.token = token
		f.number++
	}
	return nil
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
