package main

import (
	"maps"
	"slices"
)

// maxDeltas is the number of deltas of the DeltaFIFO that a snapshot has.
const maxDeltas = 200

// tally is what follows from the records alone: it is a function of them.
type tally struct {
	totals  Totals
	sockets []SocketState
	deltas  []Delta
	// positions counts the callbacks that have returned, by handler.
	positions map[string]uint64
}

func newTally() tally {
	return tally{totals: Totals{Requests: map[string]int{}}, positions: map[string]uint64{}}
}

func (t *tally) clone() tally {
	copied := *t
	copied.totals.Requests = maps.Clone(t.totals.Requests)
	copied.sockets = slices.Clone(t.sockets)
	copied.deltas = slices.Clone(t.deltas)
	copied.positions = maps.Clone(t.positions)
	return copied
}

func (t *tally) apply(r *Record) {
	switch r.Stage {
	case StageSocket:
		t.applySocket(r)
	case StageFIFO:
		t.applyDelta(r)
	case StageStore:
		if r.Kind == "applied" {
			t.totals.Applied++
		}
		if r.Kind == "batch" && r.Pending == 0 {
			t.deltas = t.deltas[:0] // also those that the queue has dropped
		}
	case StageHandler:
		if r.Kind == "returned" {
			t.positions[r.Name]++
		}
	case StageWorker:
		if r.Kind == "ended" {
			t.totals.Reconciles++
			if r.Error != "" {
				t.totals.Errors++
			}
		}
	case StageRequest:
		if r.Kind == "started" {
			t.totals.Requests[r.Verb]++
		}
	}
}

func (t *tally) applySocket(r *Record) {
	if r.Kind == "opened" {
		t.sockets = append(t.sockets, SocketState{Conn: r.Conn})
		return
	}
	i := slices.IndexFunc(t.sockets, func(s SocketState) bool { return s.Conn == r.Conn })
	if i < 0 {
		return
	}
	s := &t.sockets[i]
	t.totals.Bytes += r.Total - s.Total
	s.Total = r.Total
	switch r.Kind {
	case "request":
		s.Request, s.Chunked, s.Chunks = r.Text, false, 0
	case "response":
		s.Chunked = r.Chunked
	case "chunk":
		t.totals.Chunks++
		s.Chunks++
	case "closed":
		t.sockets = slices.Delete(t.sockets, i, i+1)
	}
}

// applyDelta adds a filed delta, or removes a popped one and the earlier ones of its
// key, which the queue has merged with it.
func (t *tally) applyDelta(r *Record) {
	switch r.Kind {
	case "filed":
		t.totals.Filed++
		if len(t.deltas) == maxDeltas {
			t.deltas = slices.Delete(t.deltas, 0, 1)
		}
		t.deltas = append(t.deltas, Delta{Key: r.Key, Version: r.Version, Event: r.Event})
	case "popped":
		t.totals.Popped++
		last := slices.IndexFunc(t.deltas, func(d Delta) bool { return d.Key == r.Key && d.Version == r.Version })
		rest := t.deltas[:0]
		for i, d := range t.deltas {
			if i > last || d.Key != r.Key {
				rest = append(rest, d)
			}
		}
		t.deltas = rest
	}
}
