package page

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The text form has the first ten entries of each list. The JSON form has all of them.
func TestTextFormIsShortened(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := Controller{Name: "widgets", Running: true, Queued: 3, RetryingCount: 12}
	for i := range 12 {
		key := "default/" + strconv.Itoa(i)
		c.Retrying = append(c.Retrying, Failing{Key: key, Failures: 2, Error: "conflict", Next: now.Add(time.Second)})
	}
	c.UnreadyInformers = []UnreadyInformer{{Informer: "pods"}, {Informer: "nodes", Synced: true, Error: "1 object of the list"}}
	section := c.Section(now)
	require.Equal(t, "controller widgets", section.Title)
	text := strings.Join(section.Lines, "\n")
	require.Equal(t, 10, strings.Count(text, "in 1s, after 2 failures: conflict"))
	require.Contains(t, text, "state     running, not synced\n")
	require.Contains(t, text, "waiting   for the first list of pods: in progress\n")
	require.Contains(t, text, "missing   objects of nodes: 1 object of the list\n")

	data, err := json.Marshal(section.State)
	require.NoError(t, err)
	require.Equal(t, 12, strings.Count(string(data), `"failures":2`))
	require.NotContains(t, string(data), "quarantined\"", "empty lists are omitted")
}

// The program's section has the phase, and the election if there is one.
func TestProgramSection(t *testing.T) {
	require.Equal(t, []string{"phase     starting"}, Program{Phase: "starting"}.Section().Lines)
	require.Equal(t, []string{"phase     stopping", "election  pod-a leads", "election  not renewed"},
		Program{Phase: "stopping", Election: "pod-a leads", ElectionError: "not renewed"}.Section().Lines)
}

// The text of an error is limited in size.
func TestErrorTextIsTruncated(t *testing.T) {
	require.Empty(t, ErrorText(nil))
	require.LessOrEqual(t, len(ErrorText(errors.New(strings.Repeat("x", 1<<20)))), maxErrorText+3)
}

// The page names what a key depends on, and what has enqueued it.
func TestTrackedReadsOnThePage(t *testing.T) {
	now := time.Now()
	queued := now.Add(-time.Second)
	c := Controller{Name: "shops", TrackedCount: 2, Tracked: []Tracked{
		{Key: "a/b", Cause: "secrets a/tls", Queued: &queued, Dependencies: []string{"secrets a/tls"}, Count: 1},
	}}
	require.Contains(t, c.lines(now), "tracked   2 keys depend on what they have read")
	require.Contains(t, c.lines(now), "tracked   a/b depends on 1, among them secrets a/tls; enqueued 1s ago by secrets a/tls")
}
