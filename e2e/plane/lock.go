package plane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// lockFile waits until this process has the exclusive lock of a file. The lock is held
// until the file is closed in this process and in every process that inherits it. The
// kernel closes the files of a process that ends.
func lockFile(ctx context.Context, path string, progress io.Writer) (lock *os.File, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for waited := false; ; waited = true {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !waited {
			fmt.Fprintf(progress, "another process holds %s: waiting for it\n", path)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, context.Cause(ctx))
		}
	}
}
