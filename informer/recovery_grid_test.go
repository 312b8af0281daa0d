package informer_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
)

var (
	gridAll  = flag.Bool("grid.all", false, "run all cells of the recovery grid, not a sample")
	gridSeed = flag.Uint64("grid.seed", 1, "seed of the sample of the recovery grid")
)

// gridOutage is a kind of outage.
type gridOutage struct {
	apitest.Outage
	// cut: open connections are closed before the outage begins. All outages but
	// a half-open connection close them anyway.
	cut bool
}

func (f gridOutage) String() string {
	if f.cut {
		return "cut, then " + f.Outage.String()
	}
	return f.Outage.String()
}

var gridOutages = []gridOutage{
	{Outage: apitest.Outage{Kind: apitest.OutageRefused}},
	{Outage: apitest.Outage{Kind: apitest.OutageReset}},
	{Outage: apitest.Outage{Kind: apitest.OutageEOF}},
	{Outage: apitest.Outage{Kind: apitest.OutageTruncated}},
	{Outage: apitest.Outage{Kind: apitest.OutageUnavailable}},
	{Outage: apitest.Outage{Kind: apitest.OutageUnavailable, RetryAfter: 2 * time.Second}},
	{Outage: apitest.Outage{Kind: apitest.OutageTooManyRequests}},
	{Outage: apitest.Outage{Kind: apitest.OutageHalfOpen}},
	{Outage: apitest.Outage{Kind: apitest.OutageHalfOpen}, cut: true},
}

// gridCell is one combination of parameters.
type gridCell struct {
	// members is the number of members of the fleet.
	members  int
	outage   gridOutage
	duration time.Duration
	// compacted: the server is compacted during the outage, so that old versions have
	// expired.
	compacted bool
	// repeats is the number of outages.
	repeats int
	// ofNamespaces: the members are namespaces of informers of several namespaces.
	ofNamespaces bool
}

func (c gridCell) String() string {
	name := fmt.Sprintf("%d %s/%s/%s", c.members, map[bool]string{false: "informers", true: "namespaces"}[c.ofNamespaces], c.outage, c.duration)
	if c.compacted {
		name += "/410"
	}
	if c.repeats > 1 {
		name += fmt.Sprintf("/%d times", c.repeats)
	}
	return name
}

// gridCells returns all cells.
func gridCells() (all []gridCell) {
	for _, members := range []int{10, 50} {
		for _, outage := range gridOutages {
			for _, duration := range []time.Duration{3 * time.Second, 8 * time.Second, 45 * time.Second} {
				for _, compacted := range []bool{false, true} {
					for _, repeats := range []int{1, 5} {
						for _, ofNamespaces := range []bool{false, true} {
							all = append(all, gridCell{members, outage, duration, compacted, repeats, ofNamespaces})
						}
					}
				}
			}
		}
	}
	return all
}

const (
	// gridSample is the number of cells in a sample.
	gridSample = 20
	// gridPause is the time between two outages.
	gridPause = 5 * time.Second
	// gridPrecision is the precision of a measured time.
	gridPrecision = 10 * time.Millisecond
)

// Within one second of the first success after an outage, half of the informers of a
// client are current, and within three seconds all. This holds for each kind, length
// and number of outages, and after a compaction. The number of requests is bounded. The
// same holds for the namespaces of informers of several namespaces.
func TestInformersAreCurrentThreeSecondsAfterAnOutage(t *testing.T) {
	cells := gridCells()
	if !*gridAll {
		rng := rand.New(rand.NewPCG(*gridSeed, 0))
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		cells = cells[:gridSample]
	}
	for _, c := range cells {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { c.run(t) })
		})
	}
}

func (c gridCell) run(t *testing.T) {
	f, end := newFleet(t, c.members, fleetKinds, c.ofNamespaces)
	defer end()
	for n := range c.repeats {
		c.runOutage(t, f, fmt.Sprint("outage ", n+1))
	}
}

// runOutage makes the server unavailable once, and measures the recovery.
func (c gridCell) runOutage(t *testing.T, f *fleet, name string) {
	f.forget()
	began := time.Now()
	end := f.begin(c.outage)
	time.Sleep(c.duration)
	f.mark(name)
	if c.compacted {
		f.server.Compact()
	}
	ended := time.Now()
	end()
	current := f.awaitMark(name, gridPause)
	first, answered := f.firstSuccess(ended)
	if c.outage.keepsWatches() {
		first, answered = ended, true
	}
	// If there is a Retry-After, the time counts from its end.
	waits := f.retryTimes(c.outage.RetryAfter, began.Add(100*time.Millisecond))
	time.Sleep(time.Until(ended.Add(gridPause)))
	traffic := f.server.Traffic()
	require.True(t, answered, "%s: no request was answered", name)

	c.check(t, f, name, recoveryTimes{
		firstSuccess: first.Sub(latest(append(slices.Collect(maps.Values(waits)), ended)...)),
		delays:       f.delays(current, first, waits),
		requests:     traffic.Requests,
	})
}

// recoveryTimes has the measurements of one outage.
type recoveryTimes struct {
	// firstSuccess is the time from the end of the outage, or of a Retry-After, to
	// the first success.
	firstSuccess time.Duration
	// delays are the times from the first success until each informer was current,
	// sorted.
	delays   []time.Duration
	requests int
}

func (c gridCell) check(t *testing.T, f *fleet, name string, r recoveryTimes) {
	require.Len(t, r.delays, c.members, "%s: informers that are current after %v:\n%s", name, gridPause, f.history())
	half, last := r.delays[(c.members-1)/2], r.delays[c.members-1]
	t.Logf("%s: first success after %v, half of the informers after %v, all after %v; %d requests, limit %d", name, r.firstSuccess, half, last, r.requests, c.maxRequests())
	assert.LessOrEqual(t, r.firstSuccess, time.Second+gridPrecision, "%s: first success", name)
	assert.LessOrEqual(t, half, time.Second+gridPrecision, "%s: half of the informers", name)
	assert.LessOrEqual(t, last, 3*time.Second+gridPrecision, "%s: all informers", name)
	assert.LessOrEqual(t, r.requests, c.maxRequests(), "%s: requests", name)
	if t.Failed() {
		require.Fail(t, "", "%s:\n%s", name, f.history())
	}
}

// keepsWatches reports whether the watches stay open during the outage.
func (f gridOutage) keepsWatches() bool { return f.Kind == apitest.OutageHalfOpen && !f.cut }

// begin begins the outage.
func (f *fleet) begin(outage gridOutage) (end func()) {
	if !outage.cut {
		return f.server.BeginOutage(outage.Outage)
	}
	cut := f.server.BeginOutage(apitest.Outage{Kind: apitest.OutageReset})
	end = f.server.BeginOutage(outage.Outage)
	cut()
	return end
}

// maxRequests returns the limit of the requests of one outage. Each informer sends one
// request after its watch has ended, the check of the version, and the final watch;
// after a compaction also a list. In addition there are the probes of the client
// during the outage, at least 0.4 s apart.
func (c gridCell) maxRequests() int {
	if c.outage.keepsWatches() {
		return 0
	}
	each := 3
	if c.compacted {
		each++
	}
	const probeEvery = 400 * time.Millisecond
	return c.members*each + int(c.duration/probeEvery) + 1
}

// 500 namespaces of one informer recover from an outage of a minute as informers do: one
// request at a time probes the server for all of them.
func TestRecoveryOf500Namespaces(t *testing.T) {
	for _, outage := range []gridOutage{gridOutages[0], gridOutages[4]} {
		t.Run(outage.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := gridCell{members: 500, outage: outage, duration: time.Minute, ofNamespaces: true}
				f, end := newFleet(t, c.members, fleetKinds[:1], true)
				defer end()
				c.runOutage(t, f, "outage")
			})
		})
	}
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
