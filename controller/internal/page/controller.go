package page

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/thinformer/thinformer/informer/debug"
	"github.com/thinformer/thinformer/internal/brief"
)

// Controller is the state of a controller.
type Controller struct {
	Name       string `json:"name"`
	Running    bool   `json:"running"`
	Synced     bool   `json:"synced"`
	Queued     int    `json:"queued"`
	Held       int    `json:"held"`
	Reconciles uint64 `json:"reconciles"`
	Errors     uint64 `json:"errors"`
	Panics     uint64 `json:"panics"`
	Retries    uint64 `json:"retries"`

	UnreadyInformers []UnreadyInformer `json:"unreadyInformers,omitempty"`
	Waiting          []string          `json:"waiting,omitempty"`
	Working          []Working         `json:"working,omitempty"`
	// Dirty are the keys among those that a worker has taken that were enqueued again.
	Dirty            []string  `json:"dirty,omitempty"`
	Delayed          []Delayed `json:"delayed,omitempty"`
	DelayedCount     int       `json:"delayedCount"`
	Retrying         []Failing `json:"retrying,omitempty"`
	RetryingCount    int       `json:"retryingCount"`
	Quarantined      []Failing `json:"quarantined,omitempty"`
	QuarantinedCount int       `json:"quarantinedCount"`
	Stale            []Stale   `json:"stale,omitempty"`
	Tracked          []Tracked `json:"tracked,omitempty"`
	TrackedCount     int       `json:"trackedCount"`
}

// Tracked is a key with tracked reads. Cause and Queued are empty if no change has
// enqueued it.
type Tracked struct {
	Key          string     `json:"key"`
	Cause        string     `json:"cause,omitempty"`
	Queued       *time.Time `json:"queued,omitempty"`
	Dependencies []string   `json:"dependencies,omitempty"`
	Count        int        `json:"count"`
}

// UnreadyInformer is an informer that is not ready.
type UnreadyInformer struct {
	Informer string `json:"informer"`
	Synced   bool   `json:"synced,omitempty"`
	Error    string `json:"error,omitempty"`
}

// Working is a key that is being reconciled.
type Working struct {
	Key   string    `json:"key"`
	Since time.Time `json:"since"`
}

// Delayed is a key that will be enqueued.
type Delayed struct {
	Key string    `json:"key"`
	Due time.Time `json:"due"`
}

// Failing is a key that has failed.
type Failing struct {
	Key      string    `json:"key"`
	Failures int       `json:"failures"`
	Error    string    `json:"error"`
	Next     time.Time `json:"next,omitzero"`
}

// Stale is a key that has waited too long for its own writes.
type Stale struct {
	Key   string `json:"key"`
	Error string `json:"error"`
}

// maxErrorText limits the text of one error, in bytes.
const maxErrorText = 16 << 10

// ErrorText returns the text of err, "" if err is nil. A long text is truncated.
func ErrorText(err error) string {
	if err == nil {
		return ""
	}
	return brief.Text(err.Error(), maxErrorText)
}

// Section returns the section of the page. Durations are computed from now.
func (c Controller) Section(now time.Time) debug.Section {
	return debug.Section{Title: "controller " + c.Name, Lines: c.lines(now), State: c, Problems: c.problems(now)}
}

// lines returns the text form, with shortened lists.
func (c Controller) lines(now time.Time) []string {
	state := "not running"
	if c.Running {
		state = "running, not synced"
		if c.Synced {
			state = "running, synced"
		}
	}
	lines := []string{
		"state     " + state,
		fmt.Sprintf("keys      %d queued, %d waiting for their writes, %d being reconciled, %d to be retried, %d in quarantine", c.Queued, c.Held, len(c.Working), c.RetryingCount, c.QuarantinedCount),
		fmt.Sprintf("totals    %d reconciles, %d errors, %d panics, %d retries", c.Reconciles, c.Errors, c.Panics, c.Retries),
	}
	for _, w := range c.UnreadyInformers {
		if w.Synced {
			lines = append(lines, fmt.Sprintf("missing   objects of %s: %s", w.Informer, w.Error))
			continue
		}
		lines = append(lines, fmt.Sprintf("waiting   for the first list of %s: %s", w.Informer, cmp.Or(w.Error, "in progress")))
	}
	if c.TrackedCount > 0 {
		lines = append(lines, fmt.Sprintf("tracked   %d keys depend on what they have read", c.TrackedCount))
	}
	for _, t := range firstTen(c.Tracked) {
		line := fmt.Sprintf("tracked   %s depends on %d, among them %s", t.Key, t.Count, strings.Join(firstTen(t.Dependencies), ", "))
		if t.Queued != nil {
			line += fmt.Sprintf("; enqueued %v ago by %s", now.Sub(*t.Queued).Round(time.Millisecond), t.Cause)
		}
		lines = append(lines, line)
	}
	for _, w := range firstTen(c.Working) {
		lines = append(lines, fmt.Sprintf("working   on %s for %v", w.Key, now.Sub(w.Since).Round(time.Millisecond)))
	}
	for _, s := range firstTen(c.Stale) {
		lines = append(lines, "held      "+s.Error)
	}
	for _, f := range firstTen(c.Retrying) {
		lines = append(lines, fmt.Sprintf("retrying  %s in %v, after %d failures: %s", f.Key, max(0, f.Next.Sub(now)).Round(time.Millisecond), f.Failures, f.Error))
	}
	for _, f := range firstTen(c.Quarantined) {
		lines = append(lines, fmt.Sprintf("quarantine %s until it changes, after %d failures: %s", f.Key, f.Failures, f.Error))
	}
	return lines
}

// firstTen returns the entries that are shown as text.
func firstTen[E any](all []E) []E { return all[:min(len(all), 10)] }
