package rest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/brief"
)

// recordedWarnings is a warning handler that records the warnings.
type recordedWarnings struct{ warnings []Warning }

func (h *recordedWarnings) HandleWarning(_ context.Context, w Warning) {
	h.warnings = append(h.warnings, w)
}

// Warnings reach the handler for every response and every way to read it.
func TestWarningsReachTheHandler(t *testing.T) {
	old := []string{"Warning", `299 - "v1beta1 is old", 299 agent "say \"v1\""`, "Warning", `199 - "a cache"`, "Warning", "nonsense"}
	want := []Warning{{299, "-", "v1beta1 is old"}, {299, "agent", `say "v1"`}, {199, "-", "a cache"}}
	for what, send := range map[string]func(*Request) error{
		"Do":     func(r *Request) error { return r.Do(t.Context()).Error() },
		"DoRaw":  func(r *Request) error { _, err := r.DoRaw(t.Context()); return err },
		"Stream": func(r *Request) error { _, err := r.Stream(t.Context()); return err },
	} {
		var ofClient, ofRequest recordedWarnings
		client, _ := scripted(t, Config{WarningHandler: &ofClient}, respondsWith(200, "{}", old...), respondsWith(404, "", old...), respondsWith(200, "{}", old...))
		require.NoError(t, send(client.Get()), what)
		require.Equal(t, want, ofClient.warnings, what)
		require.Error(t, send(client.Get()), what)
		require.Len(t, ofClient.warnings, 6, what)
		require.NoError(t, send(client.Get().WarningHandler(&ofRequest)), what)
		require.Equal(t, want, ofRequest.warnings, what)
		require.Len(t, ofClient.warnings, 6, what)
	}
}

// The default handler logs each distinct warning once, and only warnings of the API.
func TestTheDefaultHandlerLogsEachWarningOnce(t *testing.T) {
	var log bytes.Buffer
	answers := []answer{}
	for _, text := range []string{"a", "a", "b", "a", ""} {
		answers = append(answers, respondsWith(200, "", "Warning", fmt.Sprintf(`299 - "%s"`, text), "Warning", `199 - "cache"`))
	}
	client, _ := scripted(t, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, answers...)
	for range answers {
		_, err := client.Get().DoRaw(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, 2, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "warning=a")
	require.Contains(t, log.String(), "warning=b")
}

// Memory is bounded, in the number of warnings and in their length.
func TestRecordedWarningsAreBounded(t *testing.T) {
	var log bytes.Buffer
	l := &warningLog{logger: slog.New(slog.NewTextHandler(&log, nil))}
	for i := range 3 * maxSeenWarnings {
		require.True(t, l.isNew(fmt.Sprint(i)))
		require.LessOrEqual(t, len(l.seen), maxSeenWarnings)
	}
	require.False(t, l.isNew(fmt.Sprint(3*maxSeenWarnings-1)))
	l.HandleWarning(t.Context(), Warning{Code: 299, Text: strings.Repeat("long", 10000)})
	require.Less(t, log.Len(), 2*maxWarningLen)
	require.Equal(t, "ab...", brief.Text("abü", 3))
}
