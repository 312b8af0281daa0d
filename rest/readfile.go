package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// maxCredentialBytes bounds the files and outputs that credentials come from.
const maxCredentialBytes = 1 << 20

// readPatience is how long a request waits for files to be read again while
// what was read before can be used: a mount may be stuck.
const readPatience = time.Second

var (
	errTooLargeForCredentials = fmt.Errorf("it is larger than %d bytes", maxCredentialBytes)
	errNoRegularFile          = errors.New("it is no regular file, which could be read again")
)

// readBounded reads a small file. The error does not repeat the path.
func readBounded(path string) ([]byte, error) {
	// A FIFO opened in the usual way waits for somebody to write to it.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	switch {
	case info.IsDir():
		return nil, syscall.EISDIR
	case !info.Mode().IsRegular():
		return nil, errNoRegularFile
	}
	content, err := io.ReadAll(io.LimitReader(file, maxCredentialBytes+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(content) > maxCredentialBytes {
		return nil, errTooLargeForCredentials
	}
	return content, nil
}

func withoutPath(err error) error {
	var inPath *os.PathError
	if errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}

// reading runs one read of files at a time, for all who want one, on a
// goroutine that nobody has to wait for: on a stuck mount it ends when the
// mount does, and neither a request nor close can end it.
type reading struct {
	mu   sync.Mutex
	done chan struct{} // of the read that is under way; nil is none
}

// await begins a read unless one is under way, and returns when it is over,
// when ctx ends or, unless patience is 0, when patience is.
func (r *reading) await(ctx context.Context, patience time.Duration, read func()) {
	r.mu.Lock()
	done := r.done
	if done == nil {
		done = make(chan struct{})
		r.done = done
		go func() {
			defer close(done)
			read()
			r.mu.Lock()
			r.done = nil
			r.mu.Unlock()
		}()
	}
	r.mu.Unlock()
	var enough <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		enough = timer.C
	}
	select {
	case <-done:
	case <-ctx.Done():
	case <-enough:
	}
}
