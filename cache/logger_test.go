package cache

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// Logs go to klog: what is an error here is one there, whatever klog has been set
// up with, and with all that is said of it.
func TestLogsGoToKlog(t *testing.T) {
	say := func(logger *slog.Logger) {
		logger = logger.With("a", 1).WithGroup("g")
		logger.Error("bad", "b", 2)
		logger.Info("good", "c", 3)
	}
	// As funcr, slog and klog write it.
	const asError = `"error"=|level=ERROR|^E.*logger_test\.go`
	for name, set := range map[string]func(out *bytes.Buffer){
		"a logger that knows nothing of slog": func(out *bytes.Buffer) {
			klog.SetLogger(funcr.New(func(_, args string) { out.WriteString(args + "\n") }, funcr.Options{}))
		},
		"a logger of slog": func(out *bytes.Buffer) {
			klog.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(out, nil)))
		},
		"a contextual logger of slog": func(out *bytes.Buffer) {
			klog.SetSlogLogger(slog.New(slog.NewTextHandler(out, nil)))
		},
		"klog's own": func(out *bytes.Buffer) { klog.SetOutput(out) },
	} {
		t.Run(name, func(t *testing.T) {
			defer klog.CaptureState().Restore()
			klog.LogToStderr(false)
			var out bytes.Buffer
			set(&out)
			say(loggerOf(nil))
			klog.Flush()
			// klog's own output has an error in the files of all lower levels.
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			failed, told := lines[0], lines[len(lines)-1]
			require.Regexp(t, `bad.*a"?=1.*g\.b"?=2`, failed)
			require.Regexp(t, asError, failed)
			require.Contains(t, told, "good")
			require.NotRegexp(t, asError, told)
		})
	}
}
