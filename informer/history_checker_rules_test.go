package informer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/rest"
)

// historyBuilder builds callbacks and states of objects with the UID u. The callbacks
// do not overlap.
type historyBuilder struct{}

func (historyBuilder) calls(all ...callback) []callback {
	for i := range all {
		if all[i].end == 0 {
			all[i].begin, all[i].end = 2*i, 2*i+1
		}
	}
	return all
}

func (historyBuilder) state(version string) objectState { return objectState{"u", version, ""} }

func (h historyBuilder) add(key, version string) callback {
	return callback{kind: added, key: key, new: h.state(version)}
}

func (h historyBuilder) addInitial(key, version string) callback {
	return callback{kind: added, key: key, new: h.state(version), initial: true}
}

func (h historyBuilder) update(key, old, new string) callback {
	return callback{kind: updated, key: key, old: h.state(old), new: h.state(new)}
}

func (h historyBuilder) resync(key, version string) callback {
	return callback{kind: updated, key: key, old: h.state(version), new: h.state(version), same: true}
}

func (h historyBuilder) delete(key, version string) callback {
	return callback{kind: deleted, key: key, old: h.state(version)}
}

func (h historyBuilder) deleteUnknown(key, version string) callback {
	return callback{kind: deleted, key: key, old: h.state(version), unknown: true}
}

func (h historyBuilder) sourceStates(all ...string) (source []keyedState) {
	for i := 0; i < len(all); i += 2 {
		source = append(source, keyedState{all[i], h.state(all[i+1])})
	}
	return source
}

func (h historyBuilder) content(all ...string) map[string]objectState {
	state := map[string]objectState{}
	for i := 0; i < len(all); i += 2 {
		state[all[i]] = h.state(all[i+1])
	}
	return state
}

// For each rule of the checker there are histories that violate only that rule, and
// a similar legal history.
func TestCheckerRejectsIllegalHistories(t *testing.T) {
	h := historyBuilder{}
	otherObject := objectState{"other", "5", ""}
	overlapping := h.calls(h.add("a", "1"), h.add("b", "2"))
	overlapping[1].begin = 0
	whileSynced := h.addInitial("b", "2")
	whileSynced.synced = true
	changeWhenSynced := h.add("b", "2")
	changeWhenSynced.synced = true
	for _, test := range []struct {
		name    string
		wantErr string // "" if the history is legal
		history history
	}{
		{"no callbacks", "", history{}},
		{"add, update, delete, add, delete", "", history{callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "2"), h.delete("a", "3"), h.add("a", "4"), h.deleteUnknown("a", "4"))}},

		{"added twice", "has already received", history{callbacks: h.calls(h.add("a", "1"), h.add("a", "2"))}},
		{"added twice, merging", "has already received", history{merging: true, callbacks: h.calls(h.add("a", "1"), h.add("a", "2"))}},
		{"update of an object that was not added", "has not received the object", history{callbacks: h.calls(h.update("a", "1", "2"))}},
		{"update of a deleted object", "has not received the object", history{callbacks: h.calls(h.add("a", "1"), h.delete("a", "2"), h.update("a", "1", "3"))}},
		{"delete of an object that was not added", "has not received the object", history{callbacks: h.calls(h.delete("a", "1"))}},
		{"deleted twice", "has not received the object", history{callbacks: h.calls(h.add("a", "1"), h.delete("a", "2"), h.delete("a", "2"))}},
		{"old state was not received", "has last received 1/u", history{callbacks: h.calls(h.add("a", "1"), h.update("a", "2", "3"))}},
		{"old state was not received, merging", "has last received 1/u", history{merging: true, callbacks: h.calls(h.add("a", "1"), h.update("a", "2", "3"))}},
		{"update to another UID", "UIDs differ", history{callbacks: h.calls(h.add("a", "1"), callback{kind: updated, key: "a", old: h.state("1"), new: otherObject})}},
		{"update without a change", "old and new state are equal", history{resyncs: true, callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "1"))}},
		{"update without a change, merging", "", history{merging: true, callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "1"))}},
		{"delete of another UID", "has last received another object", history{callbacks: h.calls(h.add("a", "1"), callback{kind: deleted, key: "a", old: otherObject})}},
		{"delete of unknown final state with a state that was not received", "has last received 1/u", history{callbacks: h.calls(h.add("a", "1"), h.deleteUnknown("a", "2"))}},
		{"delete of unknown final state with a state that was not received, merging", "", history{merging: true, callbacks: h.calls(h.add("a", "1"), h.deleteUnknown("a", "2"))}},

		{"resync", "", history{resyncs: true, callbacks: h.calls(h.add("a", "1"), h.resync("a", "1"))}},
		{"resync without a period", "has no resync period", history{callbacks: h.calls(h.add("a", "1"), h.resync("a", "1"))}},
		{"resync of an older state", "has last received 2/u", history{resyncs: true, callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "2"), h.resync("a", "1"))}},
		{"resync of an object that was not added", "has not received the object", history{resyncs: true, callbacks: h.calls(h.resync("a", "1"))}},

		{"order of arrival", "", history{source: h.sourceStates("a", "1", "b", "2", "a", "3"), callbacks: h.calls(h.add("a", "1"), h.add("b", "2"), h.update("a", "1", "3"))}},
		{"two keys out of order", "out of order", history{source: h.sourceStates("a", "1", "b", "2"), callbacks: h.calls(h.add("b", "2"), h.add("a", "1"))}},
		{"two keys out of order, merging", "", history{merging: true, source: h.sourceStates("a", "1", "b", "2"), callbacks: h.calls(h.add("b", "2"), h.add("a", "1"))}},
		{"one key out of order, merging", "out of order", history{merging: true, source: h.sourceStates("a", "1", "a", "2"), callbacks: h.calls(h.add("a", "2"), h.update("a", "2", "1"))}},
		{"older state that the source has returned again", "", history{source: h.sourceStates("a", "1", "a", "2", "a", "1"), callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "2"), h.update("a", "2", "1"))}},
		{"older state that the source has returned once", "out of order", history{source: h.sourceStates("a", "1", "a", "2"), callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "2"), h.update("a", "2", "1"))}},
		{"state that the source has not returned", "has not returned this state", history{source: h.sourceStates("a", "1"), callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "2"))}},
		{"deletion that the source has not returned", "has not returned this state", history{source: h.sourceStates("a", "1"), callbacks: h.calls(h.add("a", "1"), h.delete("a", "2"))}},

		{"deletion with the last state", "with a state of its own", history{ends: true, callbacks: h.calls(h.add("a", "1"), h.delete("a", "1"))}},
		{"deletion with the last state, unreadable event", "", history{ends: true, unreadable: map[string]bool{"a": true}, callbacks: h.calls(h.add("a", "1"), h.delete("a", "1"))}},
		{"deletion with the last state, unknown final state", "", history{ends: true, callbacks: h.calls(h.add("a", "1"), h.deleteUnknown("a", "1"))}},
		{"deletion with the last state, merging", "", history{ends: true, merging: true, callbacks: h.calls(h.add("a", "1"), h.delete("a", "1"))}},

		{"initial after an update", "follows changes", history{callbacks: h.calls(h.addInitial("a", "1"), h.update("a", "1", "2"), h.addInitial("b", "1"))}},
		{"initial after an add", "follows changes", history{callbacks: h.calls(h.add("a", "1"), h.addInitial("b", "1"))}},
		{"initial after a resync", "", history{resyncs: true, callbacks: h.calls(h.addInitial("a", "1"), h.resync("a", "1"), h.addInitial("b", "1"))}},
		{"initial after an update, merging", "", history{merging: true, callbacks: h.calls(h.addInitial("a", "1"), h.update("a", "1", "2"), h.addInitial("b", "1"))}},
		{"initial after the sync", "the registration was synced", history{callbacks: h.calls(h.addInitial("a", "1"), whileSynced)}},
		{"initial after the sync, merging", "the registration was synced", history{merging: true, callbacks: h.calls(h.addInitial("a", "1"), whileSynced)}},
		{"not initial before the sync", "not marked as part of the initial list", history{flags: true, callbacks: h.calls(h.addInitial("a", "1"), h.add("b", "2"))}},
		{"not initial after the sync", "", history{flags: true, callbacks: h.calls(h.addInitial("a", "1"), changeWhenSynced)}},
		{"not initial before the sync, merging", "", history{flags: true, merging: true, callbacks: h.calls(h.addInitial("a", "1"), h.add("b", "2"))}},
		{"synced before the end of the initial list", "b 2/u is missing", history{synced: true, first: h.content("a", "1", "b", "2"), callbacks: h.calls(h.addInitial("a", "1"))}},
		{"initial list with an additional object", "b 2/u is not expected", history{synced: true, first: h.content("a", "1"), callbacks: h.calls(h.addInitial("a", "1"), h.addInitial("b", "2"))}},
		{"initial list without the flag", "a 1/u is missing", history{synced: true, first: h.content("a", "1"), callbacks: h.calls(h.add("a", "1"))}},
		{"initial list of older states", "a is 1/u, want 2/u", history{synced: true, first: h.content("a", "2"), callbacks: h.calls(h.addInitial("a", "1"))}},
		{"part of the initial list, not synced", "", history{first: h.content("a", "1", "b", "2"), callbacks: h.calls(h.addInitial("a", "1"))}},

		{"overlapping callbacks", "before the previous callback had ended", history{callbacks: overlapping}},
		{"callback after Remove", "after Remove had returned", history{removed: true, atRemoval: 1, callbacks: h.calls(h.add("a", "1"), h.add("b", "2"))}},
		{"no callback after Remove", "", history{removed: true, atRemoval: 1, callbacks: h.calls(h.add("a", "1"))}},

		{"less than the reference", "did not receive OnUpdate", history{reference: h.calls(h.add("a", "1"), h.update("a", "1", "2")), callbacks: h.calls(h.add("a", "1")), end: h.content("a", "1")}},
		{"less than the reference, removed", "", history{reference: h.calls(h.add("a", "1"), h.update("a", "1", "2")), callbacks: h.calls(h.add("a", "1"))}},
		{"more than the reference", "the reference handler did not receive", history{reference: h.calls(h.add("a", "1")), callbacks: h.calls(h.add("a", "1"), h.delete("a", "2"))}},
		{"different from the reference", "but the reference handler received", history{reference: h.calls(h.add("a", "1"), h.update("a", "1", "2")), callbacks: h.calls(h.add("a", "1"), h.update("a", "1", "3"))}},
		{"late handler", "", history{first: h.content("a", "1"), reference: h.calls(h.update("a", "1", "2")), callbacks: h.calls(h.addInitial("a", "1"), h.update("a", "1", "2")), end: h.content("a", "2")}},

		{"content of the server", "", history{callbacks: h.calls(h.add("a", "1")), end: h.content("a", "1")}},
		{"missing object at the end", "b 2/u is missing", history{callbacks: h.calls(h.add("a", "1")), end: h.content("a", "1", "b", "2")}},
		{"additional object at the end", "b 2/u is not expected", history{callbacks: h.calls(h.add("a", "1"), h.add("b", "2")), end: h.content("a", "1")}},
		{"older state at the end", "a is 1/u, want 2/u", history{callbacks: h.calls(h.add("a", "1")), end: h.content("a", "2")}},
		{"older state at the end, merging", "a is 1/u, want 2/u", history{merging: true, callbacks: h.calls(h.add("a", "1")), end: h.content("a", "2")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.history.check()
			if test.wantErr == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.wantErr)
		})
	}
}

// A list whose pages are from before and after a reset of the server is not an
// initial state: the simulation counts only initial states that were read completely
// from one history. Seed 2388 has such a list.
func TestListOfTwoHistoriesIsNotAnInitialState(t *testing.T) {
	s := &simSource{}
	states := func(want int) {
		t.Helper()
		if _, got := s.at(); got != want {
			t.Errorf("%d initial states were read, want %d", got, want)
		}
	}
	s.begin()
	s.mix()
	s.complete("98")
	states(0)
	s.begin()
	s.mix()
	s.item(nil, rest.ErrRestarted, true)
	s.complete("99")
	states(1)
	s.mix() // no initial state is being read
	s.begin()
	s.complete("100")
	states(2)
}
