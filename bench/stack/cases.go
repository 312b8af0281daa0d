package stack

import (
	"fmt"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/pods"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/bench/wire"
)

// Cases returns the cases of this package.
func Cases() []harness.Case {
	const (
		watching = " as fast as they are taken; wall and processor time, allocations and bytes for each event, until the last callback. A million divided by the first figure is the number of events per second"
		syncing  = ", until the handler has been called for each. Wall and processor seconds, and MB of memory, of the informer's process (2,000 pods with -short)"
		heaping  = ": live heap for each of 10,000 cached pods (2,000 with -short), including everything that the stack holds"
		notes    = ", as informers do by default"
	)
	json, protobuf := question{Encoding: wire.JSON, As: asTyped}, question{Encoding: wire.Protobuf, As: asTyped}
	return []harness.Case{
		watchCase("watch/json-typed", json, 10_000, "MODIFIED events of pods of 5.9 KB in JSON,"+watching),
		watchCase("watch/protobuf-typed", protobuf, 50_000, "the same pods in protobuf, strings not shared,"+watching),
		watchCase("watch/json-unstructured", json.as(asUnstructured), 10_000, "the events of watch/json-typed as *unstructured.Unstructured, with the dynamic informer on the other side,"+watching),
		syncCase("sync/json-list", json, false, "50,000 pods in JSON from a server that does not stream the initial state; ours reads pages, the other side one answer"+notes+syncing),
		syncCase("sync/json-watchlist", json, true, "the same, streamed as the events of a watch"+syncing),
		syncCase("sync/protobuf-list", protobuf, false, "sync/json-list in protobuf, strings not shared"+syncing),
		syncCase("sync/protobuf-watchlist", protobuf, true, "sync/json-watchlist in protobuf, strings not shared"+syncing),
		heapCase("heap/typed", json, "*v1.Pod from JSON, strings shared on our side, managed fields kept on the other"+heaping),
		heapCase("heap/typed-protobuf", protobuf.sharing(), "*v1.Pod from protobuf, strings shared on our side, by option"+heaping),
		heapCase("heap/unstructured", json.as(asUnstructured), "*unstructured.Unstructured, strings shared on our side; the other side is the dynamic informer"+heaping),
		heapCase("heap/slim", json.as(asSlim), "a struct with eight fields, name, namespace, uid, version, node, phase, host and address, strings shared; client-go has no slim types"+heaping),
		relistCase("relist/unchanged", protobuf, "the watch of 50,000 pods expires (2,000 with -short) and nothing has changed: the maximum of the live heap at forced collections in the meantime, relative to the heap before; callbacks, and objects that the store has replaced"),
		latencyCase("latency/idle", json, "an event each millisecond on an idle connection, from before its write in the server to the callback, in one process: mean, p50, p99, max"),
	}
}

// LayerCases returns the cases of package cache with a clientset. They are some of the
// cases above with a third side.
func LayerCases() []harness.Case {
	const notes = "an informer of package cache on NewListWatchFromClient with a clientset's RESTClient, the typed implementation on a View, and client-go's, all with managed fields: "
	json, protobuf := question{Encoding: wire.JSON, As: asTyped, Layered: true}, question{Encoding: wire.Protobuf, As: asTyped, Layered: true}
	return []harness.Case{
		watchCase("cache/watch-json", json, 10_000, notes+"MODIFIED events as in `watch/json-typed`"),
		watchCase("cache/watch-protobuf", protobuf, 50_000, notes+"MODIFIED events as in `watch/protobuf-typed`"),
		syncCase("cache/sync-json", json, false, notes+"50,000 pods as in `sync/json-list` (2,000 with -short)"),
		syncCase("cache/sync-protobuf", protobuf, false, notes+"50,000 pods as in `sync/protobuf-list` (2,000 with -short)"),
		heapCase("cache/heap", json, notes+"memory as in `heap/typed`"),
	}
}

func (q question) as(f form) question {
	q.As = f
	return q
}

func (q question) sharing() question {
	q.ShareStrings = true
	return q
}

// many returns the first number, or the second one with short rounds.
func many(m *harness.Meter, many, few int) int {
	if m.IsShort() {
		return few
	}
	return many
}

// both returns a case in which the informer of each side runs in its own process.
func both(name, unit, about string, q question, round func(*harness.Meter, func(pods.Config, question) answer)) harness.Case {
	c := harness.Case{Name: name, About: about, Unit: unit, N: 1, Rounds: 3}
	side := func(library string) func() harness.Side {
		return func() harness.Side {
			return func(m *harness.Meter) {
				round(m, func(held pods.Config, asked question) answer { return ask(library, held, asked) })
			}
		}
	}
	c.Ours, c.Theirs = side("ours"), side("theirs")
	if q.As == asSlim {
		c.Theirs = nil
	}
	if q.Layered {
		c.Ours, c.Typed = side("layer"), side("ours")
	}
	return c
}

// ask runs an informer of a side with a server of these pods, and checks its results.
func ask(library string, held pods.Config, q question) answer {
	work := fmt.Sprint("informer ", held, q)
	q.URL = pods.Serve(held)
	a := process.Ask[answer]("stack/"+library, q, q.environment()...)
	process.Agree(work, a.Digest)
	if want := int64(held.Pods); a.Added != want {
		panic(fmt.Sprintf("%s: %d calls of OnAdd for %d pods", library, a.Added, want))
	}
	want := int64(q.Events)
	if q.Relist {
		want = a.Relist.Called + 1
	}
	if a.Updated != want {
		panic(fmt.Sprintf("%s: %d calls of OnUpdate for %d events", library, a.Updated, want))
	}
	return a
}

// environment returns additional environment variables of the process. If the live heap
// is sampled during a relist, collections stop the world: otherwise objects that are
// allocated during a collection would count as live.
func (q question) environment() []string {
	if q.Relist {
		return []string{"GODEBUG=gcstoptheworld=1"}
	}
	return nil
}

// eventPods is the number of pods with events.
const eventPods = 1_000

func watchCase(name string, q question, events int, about string) harness.Case {
	c := both(name, "us/event", about, q, func(m *harness.Meter, run func(pods.Config, question) answer) {
		asked := q
		asked.Events = many(m, events, 1_000)
		a := run(pods.Config{Encoding: q.Encoding, Pods: eventPods, EventPods: eventPods}, asked)
		each := float64(asked.Events)
		m.Report("", a.Events.Wall.Seconds()*1e6/each)
		m.Report("cpu", a.Events.CPU.Seconds()*1e6/each)
		m.ReportIn("/event", "allocs", float64(a.Allocs)/each)
		m.ReportIn("B/event", "bytes", float64(a.Bytes)/each)
	})
	c.Rounds = 7 // a round is short, so other load on the machine affects it more
	return c
}

func syncCase(name string, q question, streamed bool, about string) harness.Case {
	return both(name, "s", about, q, func(m *harness.Meter, run func(pods.Config, question) answer) {
		a := run(pods.Config{Encoding: q.Encoding, Pods: many(m, 50_000, 2_000), WatchLists: streamed}, q)
		m.Report("", a.Sync.Wall.Seconds())
		m.Report("cpu", a.Sync.CPU.Seconds())
		m.ReportIn("MB", "peak", float64(a.Peak)/1e6)
		m.ReportIn("MB", "live", float64(a.Live)/1e6)
	})
}

func heapCase(name string, q question, about string) harness.Case {
	return both(name, "B/pod", about, q, func(m *harness.Meter, run func(pods.Config, question) answer) {
		held := pods.Config{Encoding: q.Encoding, Pods: many(m, 10_000, 2_000)}
		m.Report("", float64(run(held, q).Live)/float64(held.Pods))
	})
}

func relistCase(name string, q question, about string) harness.Case {
	c := both(name, "of before", about, q, func(m *harness.Meter, run func(pods.Config, question) answer) {
		asked := q
		asked.Relist = true
		r := run(pods.Config{Encoding: q.Encoding, Pods: many(m, 50_000, 2_000), EventPods: 1}, asked).Relist
		m.Report("", r.Peak)
		m.ReportIn("calls", "callbacks", float64(r.Called))
		m.ReportIn("pods", "replaced", float64(r.Replaced))
	})
	c.Rounds = 1 // a round is long, and all have the same result
	return c
}
