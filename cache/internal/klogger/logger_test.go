package klogger

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

// Log records go to klog with their attributes. Errors stay errors, whatever
// logger klog uses.
func TestLogsGoToKlog(t *testing.T) {
	logBoth := func(logger *slog.Logger) {
		logger = logger.With("a", 1).WithGroup("g")
		logger.Error("bad", "b", 2)
		logger.Info("good", "c", 3)
	}
	// The text of an error in funcr, slog and klog.
	const asError = `"error"=|level=ERROR|^E.*logger_test\.go`
	for name, set := range map[string]func(out *bytes.Buffer){
		"logger without slog support": func(out *bytes.Buffer) {
			klog.SetLogger(funcr.New(func(_, args string) { out.WriteString(args + "\n") }, funcr.Options{}))
		},
		"slog logger": func(out *bytes.Buffer) {
			klog.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(out, nil)))
		},
		"contextual slog logger": func(out *bytes.Buffer) {
			klog.SetSlogLogger(slog.New(slog.NewTextHandler(out, nil)))
		},
		"klog": func(out *bytes.Buffer) { klog.SetOutput(out) },
	} {
		t.Run(name, func(t *testing.T) {
			defer klog.CaptureState().Restore()
			klog.LogToStderr(false)
			var out bytes.Buffer
			set(&out)
			logBoth(FromOption(nil))
			klog.Flush()
			// klog writes an error to the files of all lower levels too.
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			failed, succeeded := lines[0], lines[len(lines)-1]
			require.Regexp(t, `bad.*a"?=1.*g\.b"?=2`, failed)
			require.Regexp(t, asError, failed)
			require.Contains(t, succeeded, "good")
			require.NotRegexp(t, asError, succeeded)
		})
	}
}
