package main

import (
	"slices"
	"sync"
	"time"
)

// view is what the page shows: the records, and the pipeline that they are about.
type view struct {
	records  *recorder
	pipeline *pipeline
	controls *controls
	server   ServerInfo
	links    []StageLinks

	mu sync.Mutex
	// checkpoints are snapshots from which the log can be played, oldest first.
	checkpoints []Record
}

// snapshot returns the record of everything. skipped is the number of records that a
// stream has left out.
func (v *view) snapshot(skipped uint64) Record {
	counted, n := v.records.counted()
	s := v.pipeline.states(counted.positions, StoreState{})
	if counted.sockets == nil {
		counted.sockets = []SocketState{}
	}
	if counted.deltas == nil {
		counted.deltas = []Delta{}
	}
	return Record{
		N: n, T: time.Since(v.records.start).Milliseconds(), Stage: StageSnapshot, Kind: "snapshot",
		Snapshot: &Snapshot{
			Skipped: skipped, Server: v.server,
			Sockets: counted.sockets, Machine: s.machine, FIFO: FIFOState{Count: s.queued, Deltas: counted.deltas},
			Store: s.store, Handlers: s.handlers, Queue: s.queue, Workers: s.workers, Totals: counted.totals,
			Controls: v.controls.states(), Links: v.links,
		},
	}
}

// checkpointEvery is the number of records after which a snapshot is kept.
const checkpointEvery = maxRecords / 8

// checkpoint keeps a snapshot if the last one is old, and drops those that the records
// no longer follow.
func (v *view) checkpoint() {
	newest, oldest := v.records.kept()
	v.mu.Lock()
	defer v.mu.Unlock()
	if last := len(v.checkpoints) - 1; last >= 0 && newest < v.checkpoints[last].N+checkpointEvery {
		return
	}
	v.checkpoints = slices.DeleteFunc(v.checkpoints, func(r Record) bool { return r.N+1 < oldest })
	v.checkpoints = append(v.checkpoints, v.snapshot(0))
}

// log returns the recorded records after the oldest snapshot that is kept.
func (v *view) log() Log {
	v.mu.Lock()
	checkpoints := slices.Clone(v.checkpoints)
	v.mu.Unlock()
	for _, state := range checkpoints {
		if records, _, ok := v.records.after(state.N, maxRecords); ok {
			return Log{Dropped: state.N, State: &state, Records: records}
		}
	}
	state := v.snapshot(0)
	return Log{Dropped: state.N, State: &state, Records: []Record{}}
}

// timeline returns the recorded records of a key, and the chunks that were received
// before its deltas were filed.
func (v *view) timeline(key string) Log {
	_, oldest := v.records.kept()
	all, _, _ := v.records.after(oldest-1, maxRecords)
	return Log{Key: key, Dropped: oldest - 1, Records: ofKey(all, key)}
}

func ofKey(all []Record, key string) []Record {
	found := []Record{}
	var chunk *Record
	for i := range all {
		r := &all[i]
		if r.Stage == StageSocket && r.Kind == "chunk" {
			chunk = r
		}
		if r.Key != key {
			continue
		}
		if r.Stage == StageFIFO && r.Kind == "filed" && chunk != nil {
			found = append(found, *chunk)
			chunk = nil // it may have further events of the key
		}
		found = append(found, *r)
	}
	return found
}
