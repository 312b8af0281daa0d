package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An update passes all stages, in their order, and so does the write that results.
func TestUpdatePassesAllStages(t *testing.T) {
	withProgram(t, 3, func(t *testing.T, f *fixture) {
		before := f.newest()
		f.use("update", `{"name": "item-0002"}`)
		records := f.since(before)
		last := -1
		for _, want := range []string{
			"control used", "socket chunk", "machine step", "fifo filed", "fifo popped", "store applied", "store batch",
			"handler called", "queue queued", "worker started", "request started", "socket request",
			"socket response", "request done", "request wrote", "worker ended",
		} {
			at := slices.Index(kinds(records), want)
			require.Greater(t, at, last, "%s in %q", want, kinds(records))
			if want != "control used" { // it is recorded when the server has answered
				last = at
			}
		}
		for i, r := range records {
			require.Equal(t, before+1+uint64(i), r.N)
		}

		timeline := f.view.timeline("default/item-0002")
		i := slices.IndexFunc(timeline.Records, func(r Record) bool { return r.Stage == StageSocket })
		require.GreaterOrEqual(t, i, 0)
		require.Contains(t, timeline.Records[i].Text, `"type":"MODIFIED"`)
		for _, r := range timeline.Records[i+1:] {
			require.Equal(t, "default/item-0002", r.Key)
		}
		require.Empty(t, f.view.timeline("default/absent").Records)
		require.NotZero(t, count(f.view.timeline("default/item-0002-copy").Records, StageRequest, "wrote"))
	})
}

// Nothing is recorded while nothing happens.
func TestIdle(t *testing.T) {
	withProgram(t, 10, func(t *testing.T, f *fixture) {
		before := f.newest()
		f.advance(30 * time.Second)
		require.Equal(t, before, f.newest())
	})
}

// A snapshot has no null where the page expects a list.
func TestSnapshotHasLists(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		w := f.request("GET", "/log", "", nil)
		body := w.Body.String()
		require.Equal(t, 200, w.Code)
		require.NotContains(t, body, "null")
		for _, list := range []string{"sockets", "deltas", "keys", "indexes", "handlers", "waiting", "dirty", "workers", "controls", "links", "values"} {
			require.Contains(t, body, `"`+list+`":[`)
		}
	})
}

// The log begins with a snapshot, also after records have been dropped, and its records
// follow without gaps. The records from a snapshot lead to the present state.
func TestLogBeginsWithASnapshot(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		for f.newest() < 3*maxRecords/2 {
			f.use("update", "{}")
			for range checkpointEvery / 2 {
				f.view.records.add(Record{Stage: StageControl, Kind: "used"})
			}
			f.settle()
		}
		log := f.view.log()
		require.NotZero(t, log.Dropped)
		require.Equal(t, log.Dropped, log.State.N)
		require.Greater(t, len(log.Records), maxRecords/2)
		require.NotEmpty(t, log.State.Snapshot.Store.Keys)
		for i, r := range log.Records {
			require.Equal(t, log.Dropped+1+uint64(i), r.N)
		}
		require.Equal(t, f.newest(), log.Records[len(log.Records)-1].N)
	})
}

// The states in the records lead from a snapshot to the next one.
func TestStatesFollowTheSnapshot(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		before := f.newest()
		f.use("burst", `{"n": 30}`)
		f.settle()
		var store StoreState
		var machine MachineState
		var handlers []HandlerState
		for _, r := range f.since(before) {
			switch {
			case r.Store != nil:
				store = *r.Store
			case r.Machine != nil:
				machine = *r.Machine
			case r.Handlers != nil:
				handlers = r.Handlers
			}
		}
		s := f.snapshot()
		require.Equal(t, s.Store, store)
		require.Equal(t, s.Machine, machine)
		require.Equal(t, s.Handlers, handlers)
		require.Equal(t, 60, s.Store.Objects)
		require.Equal(t, IndexValue{Value: "default", Objects: 60}, s.Store.Indexes[1].Values[0])
		require.Empty(t, s.FIFO.Deltas)
		require.Equal(t, uint64(60), s.Totals.Filed)
		require.Equal(t, uint64(60), s.Totals.Applied)
		require.Equal(t, 30, s.Totals.Requests["create"])
		require.Positive(t, s.Totals.Bytes)
	})
}

// The smallest keys are found in any order.
func TestSmallest(t *testing.T) {
	require.Equal(t, []string{"a", "b", "c"}, smallest(slices.Values(strings.Split("d b f a c e", " ")), 3))
	require.Empty(t, smallest(slices.Values([]string(nil)), 3))
	require.Equal(t, []string{"a"}, smallest(slices.Values([]string{"a"}), 3))
}
