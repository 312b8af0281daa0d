package controller_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// historyOfReads builds a history of one key, x/p0, of a controller with a For of
// parents. Each call adds the next entry.
type historyOfReads struct {
	readsHistory
	now    int
	server map[string]map[string]itemState
}

func newHistoryOfReads(more ...registration) *historyOfReads {
	h := &historyOfReads{server: map[string]map[string]itemState{}}
	h.registrations = append([]registration{{kind: "parents", role: "for"}}, more...)
	h.runs = []runRecord{{number: h.next()}}
	return h
}

func (h *historyOfReads) next() int { h.now++; return h.now }

func stateAt(version string) *itemState {
	return &itemState{uid: "u", version: version, value: version, colors: "red"}
}

// start adds a reconcile that returns with an outcome.
func (h *historyOfReads) start(outcome string) *historyOfReads {
	h.reconciles = append(h.reconciles, &reconcileRecord{
		key: "x/p0", number: h.next(), outcome: outcome, forExists: true, run: len(h.runs) - 1,
		firstEpoch: map[string]int{}, lastEpoch: map[string]int{},
	})
	return h
}

func (h *historyOfReads) last() *reconcileRecord { return h.reconciles[len(h.reconciles)-1] }

func (h *historyOfReads) returns() *historyOfReads {
	h.last().returned, h.last().returnedAt = h.next(), time.Unix(int64(h.now), 0)
	return h
}

// reads adds a read at a revision, which has seen an object if s is not nil.
func (h *historyOfReads) reads(kind, form, of string, revision uint64, key string, s *itemState) *historyOfReads {
	r := readRecord{number: h.next(), dependency: dependency{kind, form, of}, seen: map[string]itemState{}, before: revision, after: revision}
	if s != nil {
		r.seen[key] = *s
	}
	h.last().reads = append(h.last().reads, r)
	return h
}

// gets adds a Get.
func (h *historyOfReads) gets(kind, key string, revision uint64, s *itemState) *historyOfReads {
	return h.reads(kind, "key", key, revision, key, s)
}

// writes adds a write of a reconcile.
func (h *historyOfReads) writes(kind, key, verb, version string) *historyOfReads {
	h.wrote("reconcile", kind, key, version)
	h.last().writes = append(h.last().writes, writeRecord{number: h.next(), kind: kind, key: key, verb: verb, uid: "u", version: version, state: *stateAt(version), deleted: verb == "delete"})
	return h
}

// changes adds a change to the informer's store and to the server.
func (h *historyOfReads) changes(kind, key string, revision uint64, old, new *itemState, more ...func(*changeEvent)) *historyOfReads {
	e := changeEvent{number: h.next(), at: time.Unix(int64(h.now), 0), kind: kind, key: key, old: old, new: new, revision: revision}
	for _, change := range more {
		change(&e)
	}
	h.events = append(h.events, e)
	return h.stores(kind, key, new)
}

// stores changes an object of the server.
func (h *historyOfReads) stores(kind, key string, s *itemState) *historyOfReads {
	if h.server[kind] == nil {
		h.server[kind] = map[string]itemState{}
	}
	if s == nil {
		delete(h.server[kind], key)
	} else {
		h.server[kind][key] = *s
	}
	return h
}

// parent adds the object of the key and its first reconcile, which reads nothing.
func (h *historyOfReads) parent() *historyOfReads {
	return h.changes("parents", "x/p0", 1, nil, stateAt("1")).start("success").returns()
}

func (h *historyOfReads) with(change func(*historyOfReads)) *historyOfReads {
	change(h)
	return h
}

// For each rule of the reference implementation there is a history that violates it,
// and a similar legal one.
func TestReadsHistoryRejectsIllegalHistories(t *testing.T) {
	configs := registration{kind: "configs", role: "reads"}
	narrow := registration{kind: "configs", role: "reads", narrow: true}
	notOwn := registration{kind: "children", role: "owns", notOwn: true}
	children := registration{kind: "children", role: "owns"}
	green := &itemState{uid: "u", version: "2", value: "1", colors: "green"}
	touched := &itemState{uid: "u", version: "2", value: "1", colors: "red"}
	another := &itemState{uid: "other", version: "2", value: "1", colors: "red"}
	listed := func(e *changeEvent) { e.listed = true }
	nextEpoch := func(e *changeEvent) { e.epoch = 1 }
	// readsConfig reads the config x/c0 at version 1, or by its color.
	readsConfig := func(h *historyOfReads, outcome string) *historyOfReads {
		return h.changes("configs", "x/c0", 1, nil, stateAt("1")).parent().
			changes("parents", "x/p0", 2, stateAt("1"), stateAt("2")).start(outcome).gets("configs", "x/c0", 1, stateAt("1")).returns()
	}
	// writesChild gets the child x/c0 at version 1 and writes version 2.
	writesChild := func(outcome string, more ...func(*changeEvent)) *historyOfReads {
		return newHistoryOfReads(notOwn).parent().changes("children", "x/c0", 1, nil, stateAt("1")).
			changes("parents", "x/p0", 2, stateAt("1"), stateAt("2")).
			start(outcome).gets("children", "x/c0", 1, stateAt("1")).writes("children", "x/c0", "patch", "2").returns().
			changes("children", "x/c0", 2, stateAt("1"), stateAt("2"), more...)
	}
	for _, test := range []struct {
		name    string
		wantErr string // "" if the history is legal
		history *historyOfReads
	}{
		{"initial", "", newHistoryOfReads().parent()},
		{"object that was not reconciled", "was not reconciled in this run", newHistoryOfReads().changes("parents", "x/p0", 1, nil, stateAt("1"))},
		{"object that was reconciled only in an earlier run", "was not reconciled in this run", newHistoryOfReads().parent().with(func(h *historyOfReads) {
			h.runs = append(h.runs, runRecord{number: h.next()})
		})},

		{"change of a key that was read", "was not reconciled after", readsConfig(newHistoryOfReads(configs), "success").changes("configs", "x/c0", 2, stateAt("1"), stateAt("2"))},
		{"change of a key, reconciled", "", readsConfig(newHistoryOfReads(configs), "success").changes("configs", "x/c0", 2, stateAt("1"), stateAt("2")).start("success").returns()},
		{"change of a key during the reconcile", "was not reconciled after", newHistoryOfReads(configs).parent().changes("parents", "x/p0", 2, stateAt("1"), stateAt("2")).
			start("success").gets("configs", "x/c0", 0, nil).changes("configs", "x/c0", 1, nil, stateAt("1")).returns()},
		{"change of a key before the read", "", newHistoryOfReads(configs).parent().changes("parents", "x/p0", 2, stateAt("1"), stateAt("2")).
			start("success").changes("configs", "x/c0", 1, nil, stateAt("1")).gets("configs", "x/c0", 1, stateAt("1")).returns()},
		{"change of a key after an error", "was not reconciled after", readsConfig(newHistoryOfReads(configs), "terminal").changes("configs", "x/c0", 2, stateAt("1"), stateAt("2"))},
		{"change of a key that was read before an error", "was not reconciled after", readsConfig(newHistoryOfReads(configs), "success").changes("parents", "x/p0", 3, stateAt("2"), stateAt("3")).
			start("terminal").returns().changes("configs", "x/c0", 2, stateAt("1"), stateAt("2"))},
		{"change of a key that was read before a success", "", readsConfig(newHistoryOfReads(configs), "success").changes("parents", "x/p0", 3, stateAt("2"), stateAt("3")).
			start("success").returns().changes("configs", "x/c0", 2, stateAt("1"), stateAt("2"))},
		{"reconcile for a key that was read before a success", "but there were", readsConfig(newHistoryOfReads(configs), "success").changes("parents", "x/p0", 3, stateAt("2"), stateAt("3")).
			start("success").returns().changes("configs", "x/c0", 2, stateAt("1"), stateAt("2")).with((*historyOfReads).exhaust).start("success").returns()},
		{"change of another key", "", readsConfig(newHistoryOfReads(configs), "success").changes("configs", "x/c1", 2, nil, stateAt("2"))},
		{"change after a reconcile without an object", "", newHistoryOfReads(configs).start("success").gets("configs", "x/c0", 0, nil).returns().with(func(h *historyOfReads) {
			h.last().forExists = false
		}).changes("configs", "x/c0", 1, nil, stateAt("1"))},
		{"change after a failed reconcile without an object", "was not reconciled after", newHistoryOfReads(configs).start("terminal").gets("configs", "x/c0", 0, nil).returns().with(func(h *historyOfReads) {
			h.last().forExists = false
		}).changes("configs", "x/c0", 1, nil, stateAt("1"))},
		{"appearance of a key", "was not reconciled after", newHistoryOfReads(configs).parent().changes("parents", "x/p0", 2, stateAt("1"), stateAt("2")).
			start("success").gets("configs", "x/c0", 0, nil).returns().changes("configs", "x/c0", 1, nil, stateAt("1"))},
		{"deletion of a key", "was not reconciled after", readsConfig(newHistoryOfReads(configs), "success").changes("configs", "x/c0", 2, stateAt("1"), nil)},
		{"deletion of a key, narrow", "was not reconciled after", readsConfig(newHistoryOfReads(narrow), "success").changes("configs", "x/c0", 2, stateAt("1"), nil)},
		{"change that a predicate rejects", "", readsConfig(newHistoryOfReads(narrow), "success").changes("configs", "x/c0", 2, stateAt("1"), touched)},
		{"change that one of two predicates rejects", "was not reconciled after", readsConfig(newHistoryOfReads(narrow, configs), "success").changes("configs", "x/c0", 2, stateAt("1"), touched)},
		{"reconcile for a change that a predicate rejects", "but there were", readsConfig(newHistoryOfReads(narrow), "success").with((*historyOfReads).exhaust).
			changes("configs", "x/c0", 2, stateAt("1"), touched).start("success").returns()},

		{"object that leaves an index value, narrow", "was not reconciled after", newHistoryOfReads(narrow).parent().changes("configs", "x/c0", 1, nil, stateAt("1")).
			start("success").reads("configs", "value", "red", 1, "x/c0", stateAt("1")).returns().changes("configs", "x/c0", 2, stateAt("1"), green)},
		{"object that joins an index value, narrow", "was not reconciled after", newHistoryOfReads(narrow).parent().changes("configs", "x/c0", 1, nil, stateAt("1")).
			start("success").reads("configs", "value", "green", 1, "", nil).returns().changes("configs", "x/c0", 2, stateAt("1"), green)},
		{"object that keeps an index value, narrow", "", newHistoryOfReads(narrow).parent().changes("configs", "x/c0", 1, nil, stateAt("1")).
			start("success").reads("configs", "value", "red", 1, "x/c0", stateAt("1")).returns().changes("configs", "x/c0", 2, stateAt("1"), touched)},
		{"object of another index value", "", newHistoryOfReads(configs).parent().start("success").reads("configs", "value", "blue", 0, "", nil).returns().
			changes("configs", "x/c0", 1, nil, stateAt("1")).with((*historyOfReads).sendOnce)},
		{"object of a namespace", "was not reconciled after", newHistoryOfReads(configs).parent().start("success").reads("configs", "namespace", "x", 0, "", nil).returns().
			changes("configs", "x/c0", 1, nil, stateAt("1"))},
		{"object of another namespace", "", newHistoryOfReads(configs).parent().start("success").reads("configs", "namespace", "y", 0, "", nil).returns().
			changes("configs", "x/c0", 1, nil, stateAt("1")).with((*historyOfReads).sendOnce)},
		{"any object", "was not reconciled after", newHistoryOfReads(configs).parent().start("success").reads("configs", "all", "", 0, "", nil).returns().
			changes("configs", "x/c0", 1, nil, stateAt("1"))},

		{"change of a child", "was not reconciled after", newHistoryOfReads(children).with(runSynced).parent().changes("children", "x/c0", 1, nil, childAt("1"))},
		{"change of a child, reconciled", "", newHistoryOfReads(children).with(runSynced).parent().changes("children", "x/c0", 1, nil, childAt("1")).start("success").returns()},
		{"change of a child that the reconcile has read before the event", "", newHistoryOfReads(children).with(runSynced).parent().with((*historyOfReads).sendOnce).
			start("success").gets("children", "x/c0", 1, childAt("1")).returns().changes("children", "x/c0", 1, nil, childAt("1"))},
		{"two reconciles for one change", "but there were 1 causes", newHistoryOfReads(children).parent().with((*historyOfReads).exhaust).
			changes("children", "x/c0", 1, nil, childAt("1")).start("success").returns().start("success").returns()},
		{"two reconciles for one change after an error", "", newHistoryOfReads(children).parent().with((*historyOfReads).exhaust).
			changes("children", "x/c0", 1, nil, childAt("1")).start("error").returns().start("success").returns()},
		{"reconcile without a cause", "but there were 0 causes", newHistoryOfReads().parent().with((*historyOfReads).exhaust).start("success").returns()},
		{"reconcile by the channel", "", newHistoryOfReads().parent().with((*historyOfReads).exhaust).with((*historyOfReads).sendOnce).start("success").returns()},
		{"reconcile for a change that the read has seen", "but there were 1 causes", newHistoryOfReads(configs).parent().with((*historyOfReads).exhaust).with((*historyOfReads).sendOnce).
			start("success").changes("configs", "x/c0", 1, nil, stateAt("1")).gets("configs", "x/c0", 1, stateAt("1")).returns().start("success").returns()},

		{"own write", "", writesChild("success")},
		{"reconcile for an own write", "but there were", writesChild("success").with((*historyOfReads).exhaustBefore).start("success").returns()},
		{"own write of a failed reconcile", "was not reconciled after", writesChild("terminal")},
		{"own write that a list has delivered", "was not reconciled after", writesChild("success", listed)},
		{"own write of another epoch", "was not reconciled after", writesChild("success", nextEpoch)},
		{"own write of an object with another UID", "was not reconciled after", writesChild("success", func(e *changeEvent) { e.new = another })},
		{"own write and then that of another client", "was not reconciled after", writesChild("success").changes("children", "x/c0", 3, stateAt("2"), stateAt("3"))},
		{"own write after that of another client", "was not reconciled after", writesChild("success", func(e *changeEvent) { e.old = stateAt("1.5") })},
		{"deletion after an own write", "was not reconciled after", writesChild("success").changes("children", "x/c0", 3, stateAt("2"), nil)},
		{"second own write", "", writesChild("success").with(func(h *historyOfReads) {
			h.writes("children", "x/c0", "patch", "3").changes("children", "x/c0", 3, stateAt("2"), stateAt("3"))
		})},
		{"own write without a read", "was not reconciled after", writesChild("success").with(func(h *historyOfReads) {
			h.last().reads = []readRecord{{dependency: dependency{"children", "all", ""}, seen: map[string]itemState{"x/c0": *stateAt("1")}, before: 1, after: 1}}
		})},
		{"own write after reads of two versions", "was not reconciled after", writesChild("success").with(func(h *historyOfReads) {
			h.last().reads = slices.Insert(h.last().reads, 0, readRecord{dependency: dependency{"children", "key", "x/c0"}, seen: map[string]itemState{"x/c0": *stateAt("0")}, before: 1, after: 1})
		})},
		{"own write without NotOwnWrites", "was not reconciled after", writesChild("success").with(func(h *historyOfReads) {
			h.registrations[1].notOwn = false
		})},
		{"own create", "", newHistoryOfReads(notOwn).parent().start("success").reads("children", "all", "", 0, "", nil).writes("children", "x/c0", "create", "1").returns().
			changes("children", "x/c0", 1, nil, stateAt("1")).with((*historyOfReads).sendOnce)},
		{"own create of another UID", "was not reconciled after", newHistoryOfReads(notOwn).parent().start("success").reads("children", "all", "", 0, "", nil).writes("children", "x/c0", "create", "2").returns().
			changes("children", "x/c0", 1, nil, another).with((*historyOfReads).sendOnce)},

		{"difference from the server", "the server has", readsConfig(newHistoryOfReads(configs), "success").stores("configs", "x/c0", stateAt("7"))},
		{"object that the server does not have", "not part of it any more", readsConfig(newHistoryOfReads(configs), "success").stores("configs", "x/c0", nil)},
		{"difference that a predicate rejects", "", readsConfig(newHistoryOfReads(narrow), "success").stores("configs", "x/c0", touched)},
		{"another object of the same key", "the server has", readsConfig(newHistoryOfReads(narrow), "success").stores("configs", "x/c0", another)},
		{"object that has joined an index value", "the server has", newHistoryOfReads(narrow).parent().with((*historyOfReads).sendOnce).
			start("success").reads("configs", "value", "green", 1, "", nil).returns().stores("configs", "x/c0", green)},
		{"difference by an own write", "", newHistoryOfReads(notOwn).parent().with((*historyOfReads).sendOnce).
			start("success").gets("children", "x/c0", 1, stateAt("1")).writes("children", "x/c0", "patch", "2").returns().stores("children", "x/c0", stateAt("2"))},

		{"difference from an own write", "the server has", newHistoryOfReads(notOwn).parent().with((*historyOfReads).sendOnce).
			start("success").gets("children", "x/c0", 1, stateAt("1")).writes("children", "x/c0", "patch", "2").returns().stores("children", "x/c0", stateAt("3"))},

		{"read of an older version than that of an own write", "has written version 2", newHistoryOfReads(children).parent().with((*historyOfReads).sendOnce).
			start("terminal").writes("children", "x/c0", "patch", "2").gets("children", "x/c0", 1, stateAt("1")).returns()},
		{"read of an own write", "", newHistoryOfReads(children).parent().with((*historyOfReads).sendOnce).
			start("terminal").writes("children", "x/c0", "patch", "2").gets("children", "x/c0", 1, stateAt("2")).returns()},
		{"read before an own write", "", newHistoryOfReads(children).parent().with((*historyOfReads).sendOnce).
			start("terminal").gets("children", "x/c0", 1, stateAt("1")).writes("children", "x/c0", "patch", "2").returns()},
		{"read of a deleted object", "which this reconcile has deleted", newHistoryOfReads(children).parent().with((*historyOfReads).sendOnce).
			start("terminal").writes("children", "x/c0", "delete", "").reads("children", "all", "", 1, "x/c0", stateAt("1")).returns()},
		{"read without a created object", "has not seen x/c0", newHistoryOfReads(children).parent().with((*historyOfReads).sendOnce).
			start("terminal").writes("children", "x/c0", "create", "1").reads("children", "namespace", "x", 1, "", nil).returns()},
		{"read without a created object that was deleted", "", newHistoryOfReads(children).parent().with((*historyOfReads).sendOnce).with((*historyOfReads).sendOnce).
			changes("children", "x/c0", 1, nil, stateAt("1")).changes("children", "x/c0", 1, stateAt("1"), nil).
			start("terminal").writes("children", "x/c0", "create", "1").reads("children", "namespace", "x", 1, "", nil).returns()},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.history.check(test.history.next(), test.history.server)
			if test.wantErr == "" {
				require.NoError(t, err, "%s", test.history.readsHistory.String())
				return
			}
			require.ErrorContains(t, err, test.wantErr, "%s", test.history.readsHistory.String())
		})
	}
}

// childAt is a state of a child that x/p0 owns.
func childAt(version string) *itemState {
	s := stateAt(version)
	s.request = "x/p0"
	return s
}

// exhaust marks all entries so far as checked, so that they cause nothing any more.
func (h *historyOfReads) exhaust() { h.checkedUpTo, h.runs[0].synced = h.now, h.now }

// exhaustBefore marks all entries before the last change as checked.
func (h *historyOfReads) exhaustBefore() {
	h.checkedUpTo = h.events[len(h.events)-1].number - 1
	h.runs[0].synced = h.checkedUpTo
}

// sendOnce sends the key to the channel.
func (h *historyOfReads) sendOnce() { h.sends = append(h.sends, keyAt{h.next(), "x/p0"}) }

func runSynced(h *historyOfReads) { h.runs[0].synced = h.next() }
