package controller_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
)

// The rules of the model hold while watches and lists are delayed, cut, silent and
// rejected, while the history of the server is removed, and while the server is restored
// from a backup. With half of the seeds, handlers are slow and have a MaxPending of 1.
func TestReadsSimulation(t *testing.T) {
	merged := int64(0)
	eachReadsSeed(t, 30, func(t *testing.T, seed uint64) {
		m := newReadsModel(t, seed, readsOptions{faults: true})
		for range 4 {
			for range 5 {
				m.injectFault()
				m.step()
				if m.slow {
					m.burst()
				}
				time.Sleep(time.Duration(m.rng.IntN(20_000)) * time.Millisecond)
				if m.rng.IntN(6) == 0 {
					m.restore()
				}
			}
			m.server.RemoveFaults()
			m.checkAtRest()
		}
		m.stop()
		merged += m.merged.Load()
	})
	if *readsSeed == 0 && *readsSeeds == 0 && !controller.RaceEnabled && merged == 0 {
		t.Error("no handler has merged notifications, so that MaxPending has no effect")
	}
}

// injectFault adds or removes a fault of watches or lists.
func (m *readsModel) injectFault() {
	wait := func(seconds int) time.Duration { return time.Duration(m.rng.IntN(seconds*1000)) * time.Millisecond }
	resource := itemKinds[m.rng.IntN(len(itemKinds))]
	watches, lists := apitest.Match{Verb: "watch", Resource: resource}, apitest.Match{Verb: "list", Resource: resource}
	fault := func(on apitest.Match, times int, do apitest.Action) {
		m.server.Fault(apitest.Fault{Match: on, Times: times, Action: do})
	}
	switch m.rng.IntN(14) {
	case 0, 1, 2:
		m.server.RemoveFaults()
		fault(apitest.Match{Verb: "watch"}, 0, apitest.DelayEvents(wait(15)))
		m.server.Restart()
	case 3:
		fault(watches, 1, apitest.AfterEvents(m.rng.IntN(3), apitest.Break()))
		m.server.Restart()
	case 4:
		fault(watches, 1, apitest.AfterEvents(m.rng.IntN(3), apitest.Cut()))
		m.server.Restart()
	case 5, 6:
		m.server.Compact()
		m.server.Restart()
	case 7: // a change that no watch can deliver
		fault(apitest.Match{Verb: "watch"}, 0, apitest.Fail(500, 0))
		m.server.Restart()
		time.Sleep(wait(3))
		for range 1 + m.rng.IntN(4) {
			m.change()
		}
		m.server.Compact()
		m.server.RemoveFaults()
	case 8:
		fault(watches, 2, apitest.Fail(429, wait(5)))
		m.server.Restart()
	case 9:
		fault(lists, 2, apitest.Fail(500, 0))
		m.server.Compact()
		m.server.Restart()
	case 10:
		fault(watches, 1, apitest.AfterEvents(m.rng.IntN(2), apitest.Silence()))
		m.server.Restart()
	case 11:
		fault(watches, 0, apitest.DuplicateEvents())
		m.server.Restart()
	case 12:
		fault(lists, 1, apitest.TruncateJSON())
		m.server.Compact()
		m.server.Restart()
	}
	synctest.Wait()
}

// restore restores the server from a backup. Nothing is written until the informers
// have detected it, since no client can detect it afterwards. Before it, all informers
// watch, so that they observe the outage.
func (m *readsModel) restore() {
	m.mu.Lock()
	m.budget, m.history.restored = 0, true
	m.mu.Unlock()
	m.server.RemoveFaults()
	time.Sleep(time.Minute)
	back := m.server.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
	m.server.RestartFromBackup(1 + m.rng.Uint64N(12))
	time.Sleep(2 * time.Second)
	back()
	time.Sleep(3 * time.Minute)
	for range 12 { // a key waits until its lost writes are older than the server's version
		m.counterMap()
	}
}

// counterMap creates an object of another kind.
func (m *readsModel) counterMap() {
	m.mu.Lock()
	name := fmt.Sprint("map-", m.next())
	m.mu.Unlock()
	apitest.Create(m.T, m.server, newMap(name))
}

// readsOptions configure the model.
type readsOptions struct {
	// faults: steps are not waited for, and reconciles take longer.
	faults bool
}

// pause returns the duration of a slow reconcile.
func (m *readsModel) pause(rng *rand.Rand) time.Duration {
	longest := 60
	if m.options.faults {
		longest = 8000
	}
	return time.Duration(rng.IntN(longest)) * time.Millisecond
}
