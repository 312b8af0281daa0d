package page

import (
	"fmt"
	"time"

	"github.com/thinformer/thinformer/informer/debug"
)

const (
	// failuresOfProblem is how often in a row a key fails before that is a problem.
	// Conflicts are normally resolved by the next attempt.
	failuresOfProblem = 3
	// longReconcile is how long a reconcile runs before that is a problem.
	longReconcile = 5 * time.Minute
)

// problems returns the problems of the controller. An informer that is not ready has
// its own problem on the page; the controller waits for it. The texts contain no
// durations, so that they change only with the state.
func (c Controller) problems(now time.Time) []debug.Problem {
	problems := []debug.Problem{}
	add := func(failing bool, hint, format string, args ...any) {
		problems = append(problems, debug.Problem{Failing: failing, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	if !c.Running {
		add(false, "See the section program.", "The controller is not running.")
	}
	for _, w := range c.UnreadyInformers {
		if w.Synced {
			add(false, "See the informer. The other objects are reconciled.", "Objects of %s are missing from the cache.", w.Informer)
			continue
		}
		add(false, "See the informer. A controller reconciles nothing before each of its informers has its first list.", "The controller waits for the first list of %s.", w.Informer)
	}
	if c.Running && !c.Synced && len(c.UnreadyInformers) == 0 {
		add(false, "Nothing: the controller begins meanwhile.", "The keys of the existing objects are being queued.")
	}
	if c.QuarantinedCount > 0 && len(c.Quarantined) > 0 {
		first := c.Quarantined[0]
		add(true, "Correct the panic: the log has its stack. A change of the object queues the key for one more attempt.",
			"%d keys are in quarantine, because their reconcile has panicked MaxPanics times in a row. The first is %s: %s", c.QuarantinedCount, first.Key, first.Error)
	}
	for _, f := range c.Retrying {
		if f.Failures >= failuresOfProblem {
			add(true, "Correct the cause of the error: the reconcile is retried with back-off.", "The reconcile of %s has failed repeatedly: %s", f.Key, f.Error)
			break
		}
	}
	for _, s := range firstTen(c.Stale) {
		add(false, "The connection of the watch hangs, its source fails, or its server is behind. The wait ends when the version arrives.", "%s", s.Error)
	}
	for _, w := range firstTen(c.Working) {
		if now.Sub(w.Since) >= longReconcile {
			add(false, "A goroutine profile shows where it is. Options.ReconcileTimeout ends its ctx after a time.", "The reconcile of %s has not returned.", w.Key)
		}
	}
	return problems
}

// problems returns the problems of the program.
func (p Program) problems() []debug.Problem {
	problems := []debug.Problem{}
	if p.ElectionError != "" {
		problems = append(problems, debug.Problem{Failing: true, Text: "The election fails: " + p.ElectionError, Hint: "Restart the program: another process may lead."})
	}
	if p.Hint != "" {
		problems = append(problems, debug.Problem{Text: "The program is " + p.Phase + ".", Hint: p.Hint})
	}
	return problems
}
