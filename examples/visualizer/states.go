package main

import (
	"cmp"
	"context"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/workqueue"
)

const (
	// sampleInterval is the shortest time between two looks at the states.
	sampleInterval = 100 * time.Millisecond
	// maxKeys, maxValues and maxQueued are the numbers of keys of the store, values of
	// an index, and keys of a list of the queue that a state has.
	maxKeys, maxValues, maxQueued = 200, 50, 50
)

// states are the parts of a snapshot that the records do not tell.
type states struct {
	machine  MachineState
	queued   int // deltas
	store    StoreState
	handlers []HandlerState
	queue    QueueState
	workers  []WorkerState
	controls []ControlState
}

// states looks at the pipeline. positions are those of a tally. The store of the former
// states is used again if it has not changed.
func (p *pipeline) states(positions map[string]uint64, former StoreState) states {
	now := time.Now()
	state := p.informer.State()
	work := p.controller.State()
	s := states{
		machine: machineState(state.Source, now),
		queued:  state.Queued,
		store:   former,
		queue:   queueState(work.Queue, now),
		workers: []WorkerState{},
	}
	for _, h := range state.Handlers {
		s.handlers = append(s.handlers, handlerState(h, positions[h.Name], p.handler.delay.get(), now))
	}
	if former.Version != state.Version || former.Objects != state.Objects || former.Keys == nil || former.Synced != state.Synced {
		s.store = storeState(p.informer.Reader(), state.Synced)
	}
	for _, active := range work.Working {
		s.workers = append(s.workers, WorkerState{Key: active.Request.String(), Ms: milliseconds(now.Sub(active.Since))})
	}
	return s
}

func machineState(s reflector.State, now time.Time) MachineState {
	m := MachineState{
		Phase: string(s.Phase), Mode: string(s.Mode), Version: s.Version,
		Relists: s.Relists, RelistReason: s.RelistReason, Failures: s.Failures, Error: textOf(s.Err),
	}
	if !s.RetryAt.IsZero() {
		m.RetryInMs = milliseconds(max(0, s.RetryAt.Sub(now)))
	}
	return m
}

func handlerState(h informer.HandlerState, position uint64, delay time.Duration, now time.Time) HandlerState {
	s := HandlerState{Name: h.Name, Synced: h.Synced, Position: position, Pending: h.Pending, Merged: h.Merged, Panics: h.Panics}
	if !h.Since.IsZero() {
		s.BusyMs = milliseconds(now.Sub(h.Since))
	}
	if h.Name == slowHandler {
		s.DelayMs = milliseconds(delay)
	}
	return s
}

func queueState(q workqueue.Snapshot[controller.Request], now time.Time) QueueState {
	s := QueueState{
		Waiting: []string{}, Processing: []string{}, Dirty: []string{}, Delayed: []DelayedKey{},
		WaitingCount: q.WaitingCount, ProcessingCount: q.ProcessingCount, DirtyCount: q.DirtyCount, DelayedCount: q.DelayedCount,
	}
	for _, request := range q.Waiting[:min(len(q.Waiting), maxQueued)] {
		s.Waiting = append(s.Waiting, request.String())
	}
	for _, item := range q.Processing[:min(len(q.Processing), maxQueued)] {
		s.Processing = append(s.Processing, item.Item.String())
		if item.Dirty {
			s.Dirty = append(s.Dirty, item.Item.String())
		}
	}
	for _, item := range q.Delayed[:min(len(q.Delayed), maxQueued)] {
		s.Delayed = append(s.Delayed, DelayedKey{Key: item.Item.String(), InMs: milliseconds(max(0, item.Due.Sub(now)))})
	}
	slices.Sort(s.Processing) // they have no order
	slices.Sort(s.Dirty)
	return s
}

func storeState(reader indexer.Reader[*ConfigMap], synced bool) StoreState {
	snapshot := reader.Snapshot()
	s := StoreState{Synced: synced, Version: snapshot.Version(), Objects: snapshot.Len(), Keys: smallest(snapshot.Keys(), maxKeys), Indexes: []IndexState{}}
	for index := range reader.Indexes() {
		state := IndexState{Name: index.Name(), Values: []IndexValue{}}
		for value := range snapshot.Values(index) {
			if n := snapshot.Count(index, value); n > 0 {
				state.Values = append(state.Values, IndexValue{Value: value, Objects: n})
			}
		}
		state.Count = len(state.Values)
		slices.SortFunc(state.Values, func(a, b IndexValue) int { return cmp.Compare(a.Value, b.Value) })
		state.Values = state.Values[:min(len(state.Values), maxValues)]
		s.Indexes = append(s.Indexes, state)
	}
	slices.SortFunc(s.Indexes, func(a, b IndexState) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// smallest returns the n smallest keys, in order, without sorting all.
func smallest(keys iter.Seq[string], n int) []string {
	found := make([]string, 0, n+1)
	for key := range keys {
		if len(found) == n && key >= found[n-1] {
			continue
		}
		i, _ := slices.BinarySearch(found, key)
		found = slices.Insert(found, i, key)
		found = found[:min(len(found), n)]
	}
	return found
}

// changes returns records of the parts of new that differ from old.
func changes(old, new *states) (records []Record) {
	if new.machine != old.machine {
		machine := new.machine
		records = append(records, Record{Stage: StageMachine, Kind: "state", Machine: &machine})
	}
	if !reflect.DeepEqual(old.store, new.store) {
		store := new.store
		records = append(records, Record{Stage: StageStore, Kind: "state", Store: &store})
	}
	if !slices.Equal(old.handlers, new.handlers) {
		records = append(records, Record{Stage: StageHandler, Kind: "state", Handlers: new.handlers})
	}
	if !reflect.DeepEqual(old.queue, new.queue) {
		queue := new.queue
		records = append(records, Record{Stage: StageQueue, Kind: "state", Queue: &queue})
	}
	if !slices.EqualFunc(old.controls, new.controls, func(a, b ControlState) bool { return a.Active == b.Active }) {
		records = append(records, Record{Stage: StageControl, Kind: "state", Controls: new.controls})
	}
	return records
}

// sample records the changes of the states whenever something has happened, until ctx
// ends. It does nothing while nothing happens.
func (v *view) sample(ctx context.Context) {
	old := states{controls: v.controls.states()}
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.records.touched:
		}
		counted, _ := v.records.counted()
		new := v.pipeline.states(counted.positions, old.store)
		new.controls = v.controls.states()
		v.records.addStates(changes(&old, &new)...)
		old = new
		v.checkpoint()
		if wait(ctx, sampleInterval) != nil {
			return
		}
	}
}
