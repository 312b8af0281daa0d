package page

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer/debug"
)

// Each state of a controller that needs attention is a problem with a hint.
func TestProblemsOfControllers(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	running := func(change func(*Controller)) Controller {
		c := Controller{Name: "widgets", Running: true, Synced: true}
		change(&c)
		return c
	}
	for name, test := range map[string]struct {
		controller Controller
		failing    bool
		text, hint string // text is "" if there is no problem
	}{
		"healthy":          {controller: running(func(c *Controller) { c.Queued, c.Held, c.Reconciles = 3, 1, 7 })},
		"standby":          {Controller{}, false, "not running", "See the section program."},
		"queueing":         {running(func(c *Controller) { c.Synced = false }), false, "being queued", "Nothing: "},
		"unready informer": {running(func(c *Controller) { c.UnreadyInformers = []UnreadyInformer{{Informer: "pods", Error: "forbidden"}} }), false, "waits for the first list of pods", "See the informer."},
		"missing objects":  {running(func(c *Controller) { c.UnreadyInformers = []UnreadyInformer{{Informer: "pods", Synced: true}} }), false, "Objects of pods are missing from the cache", "See the informer."},
		"first failures":   {controller: running(func(c *Controller) { c.Retrying = []Failing{{Key: "shop/parrot", Failures: 2}} })},
		"repeated failures": {running(func(c *Controller) {
			c.Retrying = []Failing{{Key: "shop/dog", Failures: 1}, {Key: "shop/parrot", Failures: 3, Error: "out of seed"}, {Key: "shop/cat", Failures: 9}}
		}), true, "The reconcile of shop/parrot has failed repeatedly: out of seed", "retried with back-off"},
		"quarantine": {running(func(c *Controller) {
			c.QuarantinedCount, c.Quarantined = 2, []Failing{{Key: "shop/parrot", Error: "panic: no cage"}}
		}), true, "2 keys are in quarantine, because their reconcile has panicked MaxPanics times in a row. The first is shop/parrot: panic: no cage", "A change of the object queues the key for one more attempt."},
		"stale":          {running(func(c *Controller) { c.Stale = []Stale{{Key: "shop/parrot", Error: "shop/parrot waits"}} }), false, "shop/parrot waits", "The wait ends when the version arrives."},
		"long reconcile": {running(func(c *Controller) { c.Working = []Working{{"shop/parrot", now.Add(-longReconcile)}} }), false, "The reconcile of shop/parrot has not returned.", "Options.ReconcileTimeout ends its ctx"},
		"reconcile":      {controller: running(func(c *Controller) { c.Working = []Working{{"shop/parrot", now.Add(1 - longReconcile)}} })},
	} {
		t.Run(name, func(t *testing.T) {
			problems := test.controller.Section(now).Problems
			require.NotNil(t, problems, "the section has a health")
			if test.text == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Equal(t, test.failing, problems[0].Failing)
			require.Contains(t, problems[0].Text, test.text)
			require.Contains(t, problems[0].Hint, test.hint)
		})
	}
}

// The number of problems is limited, and their texts do not change with the time.
func TestProblemsOfControllersAreLimited(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := Controller{Running: true, Synced: true}
	for range 100 {
		c.Stale = append(c.Stale, Stale{Error: "waits"})
		c.Working = append(c.Working, Working{"shop/parrot", now.Add(-time.Hour)})
		c.Retrying = append(c.Retrying, Failing{Key: "shop/parrot", Failures: 5})
	}
	problems := c.Section(now).Problems
	require.Len(t, problems, 21)
	require.Equal(t, problems, c.Section(now.Add(time.Minute)).Problems)
}

// The program waits except while its controllers run, and fails if its election does.
func TestProblemsOfPrograms(t *testing.T) {
	require.Equal(t, []debug.Problem{}, Program{Phase: "running its controllers"}.Section().Problems)
	waits := Program{Phase: "standing by", Hint: "See the election."}.Section()
	require.Equal(t, []debug.Problem{{Text: "The program is standing by.", Hint: "See the election."}}, waits.Problems)
	require.NotContains(t, strings.Join(waits.Lines, ""), "See the election.", "the text form is unchanged")
	failing := Program{Phase: "running its controllers", ElectionError: "the lease expired"}.Section().Problems
	require.Len(t, failing, 1)
	require.True(t, failing[0].Failing)
	require.Contains(t, failing[0].Text, "the lease expired")
}
