package transport

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

// maxCredentialBytes bounds credential files and the output of plugins.
const maxCredentialBytes = 1 << 20

// rereadTimeout is how long a request waits for files to be read again while their
// last contents can be used: a mount may hang.
const rereadTimeout = time.Second

var (
	errCredentialsTooLarge = fmt.Errorf("it is larger than %d bytes", maxCredentialBytes)
	errNotRegularFile      = errors.New("it is not a regular file")
)

// readBounded reads a small file. The error does not repeat the path.
func readBounded(path string) ([]byte, error) {
	// Without O_NONBLOCK, opening a FIFO waits for a writer.
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
		return nil, errNotRegularFile
	}
	content, err := io.ReadAll(io.LimitReader(file, maxCredentialBytes+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(content) > maxCredentialBytes {
		return nil, errCredentialsTooLarge
	}
	return content, nil
}

func withoutPath(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// sharedRead runs at most one read of files at a time, shared by all callers, on
// its own goroutine. On a hanging mount the read cannot be cancelled, so neither
// requests nor close wait for its end.
type sharedRead struct {
	mu   sync.Mutex
	done chan struct{} // of the read in progress; nil is none
}

// run starts a read unless one is in progress. It returns when the read is done,
// when ctx ends or, unless timeout is 0, after timeout.
func (r *sharedRead) run(ctx context.Context, timeout time.Duration, read func()) {
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
	var timedOut <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		timedOut = timer.C
	}
	select {
	case <-done:
	case <-ctx.Done():
	case <-timedOut:
	}
}
