package cache

import (
	"fmt"
	"strings"
	"sync"

	"github.com/go-logr/logr/funcr"
	"k8s.io/klog/v2"
)

// logs remembers what is logged.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) logger() klog.Logger {
	return funcr.New(func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, args)
	}, funcr.Options{})
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(strings.Join(l.lines, "\n"))
}
