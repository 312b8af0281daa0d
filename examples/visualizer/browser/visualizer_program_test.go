package browser

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// builtVisualizer is the program of examples/visualizer, which is built once.
var builtVisualizer struct {
	once sync.Once
	file string
	out  []byte
	err  error
}

// buildVisualizer builds the program into a folder that TestMain removes.
func buildVisualizer(t *testing.T) string {
	t.Helper()
	b := &builtVisualizer
	b.once.Do(func() {
		var folder string
		if folder, b.err = os.MkdirTemp("", "visualizer"); b.err != nil {
			return
		}
		b.file = filepath.Join(folder, "visualizer")
		build := exec.Command("go", "build", "-o", b.file, "./examples/visualizer")
		build.Dir = filepath.Join("..", "..", "..")
		b.out, b.err = build.CombinedOutput()
	})
	require.NoError(t, b.err, "%s", b.out)
	return b.file
}

// removeVisualizer removes the built program.
func removeVisualizer() {
	if builtVisualizer.file != "" {
		_ = os.RemoveAll(filepath.Dir(builtVisualizer.file))
	}
}

// visualizer is a running program of examples/visualizer.
type visualizer struct {
	page string // the address of the page
	stop func()
}

// runVisualizer starts the program with an embedded server, and ends it with the test.
func runVisualizer(t *testing.T, args ...string) *visualizer {
	t.Helper()
	if chromium == nil {
		newTab(t, tabOptions{}) // skips the test
	}
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, buildVisualizer(t), append([]string{"-address", "127.0.0.1:0"}, args...)...)
	command.Dir = filepath.Join("..", "..", "..") // the links lead to files of the clone
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	v := &visualizer{}
	v.stop = sync.OnceFunc(func() {
		cancel()
		_ = command.Wait() // ended by the signal
	})
	t.Cleanup(v.stop)
	lines := bufio.NewScanner(out)
	for v.page == "" && lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "page: "); ok {
			v.page = address
		}
	}
	require.NotEmpty(t, v.page, "the program has not printed its address")
	return v
}
