package informer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// tale makes histories by hand: of objects with the uid u, one callback after
// another.
type tale struct{}

func (tale) calls(all ...told) []told {
	for i := range all {
		if all[i].end == 0 {
			all[i].begin, all[i].end = 2*i, 2*i+1
		}
	}
	return all
}

func (tale) u(version string) sight { return sight{"u", version, ""} }

func (h tale) add(key, version string) told { return told{kind: added, key: key, new: h.u(version)} }

func (h tale) initially(key, version string) told {
	return told{kind: added, key: key, new: h.u(version), initial: true}
}

func (h tale) change(key, old, new string) told {
	return told{kind: updated, key: key, old: h.u(old), new: h.u(new)}
}

func (h tale) again(key, version string) told {
	return told{kind: updated, key: key, old: h.u(version), new: h.u(version), same: true}
}

func (h tale) gone(key, version string) told { return told{kind: deleted, key: key, old: h.u(version)} }

func (h tale) unseen(key, version string) told {
	return told{kind: deleted, key: key, old: h.u(version), unknown: true}
}

func (h tale) handedOut(all ...string) (source []sighting) {
	for i := 0; i < len(all); i += 2 {
		source = append(source, sighting{all[i], h.u(all[i+1])})
	}
	return source
}

func (h tale) having(all ...string) map[string]sight {
	state := map[string]sight{}
	for i := 0; i < len(all); i += 2 {
		state[all[i]] = h.u(all[i+1])
	}
	return state
}

// Each rule of the checker has histories that break it and nothing else, and
// the nearest one that keeps it.
func TestTheCheckerKnowsIllegalHistories(t *testing.T) {
	h := tale{}
	another := sight{"other", "5", ""}
	overlapping := h.calls(h.add("a", "1"), h.add("b", "2"))
	overlapping[1].begin = 0
	whileSynced := h.initially("b", "2")
	whileSynced.synced = true
	changeWhenSynced := h.add("b", "2")
	changeWhenSynced.synced = true
	for _, test := range []struct {
		name  string
		wrong string // "" for legal
		story story
	}{
		{"nothing at all", "", story{}},
		{"a life", "", story{told: h.calls(h.add("a", "1"), h.change("a", "1", "2"), h.gone("a", "3"), h.add("a", "4"), h.unseen("a", "4"))}},

		{"added twice", "has it already", story{told: h.calls(h.add("a", "1"), h.add("a", "2"))}},
		{"added twice, merging", "has it already", story{merging: true, told: h.calls(h.add("a", "1"), h.add("a", "2"))}},
		{"update of the unknown", "does not know it", story{told: h.calls(h.change("a", "1", "2"))}},
		{"update of the deleted", "does not know it", story{told: h.calls(h.add("a", "1"), h.gone("a", "2"), h.change("a", "1", "3"))}},
		{"delete of the unknown", "does not know it", story{told: h.calls(h.gone("a", "1"))}},
		{"deleted twice", "does not know it", story{told: h.calls(h.add("a", "1"), h.gone("a", "2"), h.gone("a", "2"))}},
		{"a state was left out", "saw it last as 1/u", story{told: h.calls(h.add("a", "1"), h.change("a", "2", "3"))}},
		{"a state was left out, merging", "saw it last as 1/u", story{merging: true, told: h.calls(h.add("a", "1"), h.change("a", "2", "3"))}},
		{"an update to another object", "another object of the same name", story{told: h.calls(h.add("a", "1"), told{kind: updated, key: "a", old: h.u("1"), new: another})}},
		{"an update that changes nothing", "nothing has changed", story{resyncs: true, told: h.calls(h.add("a", "1"), h.change("a", "1", "1"))}},
		{"there and back, merging", "", story{merging: true, told: h.calls(h.add("a", "1"), h.change("a", "1", "1"))}},
		{"the deletion of another object", "knows another object", story{told: h.calls(h.add("a", "1"), told{kind: deleted, key: "a", old: another})}},
		{"an unseen deletion of an unseen state", "saw it last as 1/u", story{told: h.calls(h.add("a", "1"), h.unseen("a", "2"))}},
		{"the same where states are merged", "", story{merging: true, told: h.calls(h.add("a", "1"), h.unseen("a", "2"))}},

		{"a resync", "", story{resyncs: true, told: h.calls(h.add("a", "1"), h.again("a", "1"))}},
		{"a resync that nobody asked for", "nobody asked", story{told: h.calls(h.add("a", "1"), h.again("a", "1"))}},
		{"a resync of an older state", "saw it last as 2/u", story{resyncs: true, told: h.calls(h.add("a", "1"), h.change("a", "1", "2"), h.again("a", "1"))}},
		{"a resync of the unknown", "does not know it", story{resyncs: true, told: h.calls(h.again("a", "1"))}},

		{"in the order of arrival", "", story{source: h.handedOut("a", "1", "b", "2", "a", "3"), told: h.calls(h.add("a", "1"), h.add("b", "2"), h.change("a", "1", "3"))}},
		{"across keys out of order", "out of order", story{source: h.handedOut("a", "1", "b", "2"), told: h.calls(h.add("b", "2"), h.add("a", "1"))}},
		{"the same where states are merged", "", story{merging: true, source: h.handedOut("a", "1", "b", "2"), told: h.calls(h.add("b", "2"), h.add("a", "1"))}},
		{"a key out of order, merging", "out of order", story{merging: true, source: h.handedOut("a", "1", "a", "2"), told: h.calls(h.add("a", "2"), h.change("a", "2", "1"))}},
		{"back to what the source has told again", "", story{source: h.handedOut("a", "1", "a", "2", "a", "1"), told: h.calls(h.add("a", "1"), h.change("a", "1", "2"), h.change("a", "2", "1"))}},
		{"back to what the source told before", "out of order", story{source: h.handedOut("a", "1", "a", "2"), told: h.calls(h.add("a", "1"), h.change("a", "1", "2"), h.change("a", "2", "1"))}},
		{"what the source never told", "no such state", story{source: h.handedOut("a", "1"), told: h.calls(h.add("a", "1"), h.change("a", "1", "2"))}},
		{"a deletion that the source never told", "no such state", story{source: h.handedOut("a", "1"), told: h.calls(h.add("a", "1"), h.gone("a", "2"))}},

		{"a last state that the source did not tell", "by another state than the last", story{ends: true, told: h.calls(h.add("a", "1"), h.gone("a", "1"))}},
		{"the same of what was unreadable", "", story{ends: true, unreadable: map[string]bool{"a": true}, told: h.calls(h.add("a", "1"), h.gone("a", "1"))}},
		{"the same of what nobody saw go", "", story{ends: true, told: h.calls(h.add("a", "1"), h.unseen("a", "1"))}},
		{"the same where states are merged", "", story{ends: true, merging: true, told: h.calls(h.add("a", "1"), h.gone("a", "1"))}},

		{"initial after a change", "comes after changes", story{told: h.calls(h.initially("a", "1"), h.change("a", "1", "2"), h.initially("b", "1"))}},
		{"initial after an addition", "comes after changes", story{told: h.calls(h.add("a", "1"), h.initially("b", "1"))}},
		{"initial after a resync", "", story{resyncs: true, told: h.calls(h.initially("a", "1"), h.again("a", "1"), h.initially("b", "1"))}},
		{"initial after a change, merging", "", story{merging: true, told: h.calls(h.initially("a", "1"), h.change("a", "1", "2"), h.initially("b", "1"))}},
		{"initial when synced", "the registration was synced", story{told: h.calls(h.initially("a", "1"), whileSynced)}},
		{"initial when synced, merging", "the registration was synced", story{merging: true, told: h.calls(h.initially("a", "1"), whileSynced)}},
		{"not initial, and not synced", "not said to belong to the initial list", story{flags: true, told: h.calls(h.initially("a", "1"), h.add("b", "2"))}},
		{"not initial, and synced", "", story{flags: true, told: h.calls(h.initially("a", "1"), changeWhenSynced)}},
		{"the same where states are merged", "", story{flags: true, merging: true, told: h.calls(h.initially("a", "1"), h.add("b", "2"))}},
		{"synced before the list was told", "b 2/u is missing", story{synced: true, first: h.having("a", "1", "b", "2"), told: h.calls(h.initially("a", "1"))}},
		{"an initial list of more than there was", "b 2/u should be gone", story{synced: true, first: h.having("a", "1"), told: h.calls(h.initially("a", "1"), h.initially("b", "2"))}},
		{"an initial list without its flag", "a 1/u is missing", story{synced: true, first: h.having("a", "1"), told: h.calls(h.add("a", "1"))}},
		{"an initial list of older states", "a is 1/u and should be 2/u", story{synced: true, first: h.having("a", "2"), told: h.calls(h.initially("a", "1"))}},
		{"half of an initial list, not synced", "", story{first: h.having("a", "1", "b", "2"), told: h.calls(h.initially("a", "1"))}},

		{"callbacks that overlap", "before the one before it had ended", story{told: overlapping}},
		{"a callback after the removal", "after Remove had returned", story{removed: true, atRemoval: 1, told: h.calls(h.add("a", "1"), h.add("b", "2"))}},
		{"none after the removal", "", story{removed: true, atRemoval: 1, told: h.calls(h.add("a", "1"))}},

		{"less than another was told", "was not told OnUpdate", story{reference: h.calls(h.add("a", "1"), h.change("a", "1", "2")), told: h.calls(h.add("a", "1")), end: h.having("a", "1")}},
		{"less, by one that was removed", "", story{reference: h.calls(h.add("a", "1"), h.change("a", "1", "2")), told: h.calls(h.add("a", "1"))}},
		{"more than another was told", "no other handler was told", story{reference: h.calls(h.add("a", "1")), told: h.calls(h.add("a", "1"), h.gone("a", "2"))}},
		{"not what another was told", "when another one was told", story{reference: h.calls(h.add("a", "1"), h.change("a", "1", "2")), told: h.calls(h.add("a", "1"), h.change("a", "1", "3"))}},
		{"late, and then the same", "", story{first: h.having("a", "1"), reference: h.calls(h.change("a", "1", "2")), told: h.calls(h.initially("a", "1"), h.change("a", "1", "2")), end: h.having("a", "2")}},

		{"the end", "", story{told: h.calls(h.add("a", "1")), end: h.having("a", "1")}},
		{"at the end one is missing", "b 2/u is missing", story{told: h.calls(h.add("a", "1")), end: h.having("a", "1", "b", "2")}},
		{"at the end one is too many", "b 2/u should be gone", story{told: h.calls(h.add("a", "1"), h.add("b", "2")), end: h.having("a", "1")}},
		{"at the end one is old", "a is 1/u and should be 2/u", story{told: h.calls(h.add("a", "1")), end: h.having("a", "2")}},
		{"at the end one is old, merging", "a is 1/u and should be 2/u", story{merging: true, told: h.calls(h.add("a", "1")), end: h.having("a", "2")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.story.check()
			if test.wrong == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.wrong)
		})
	}
}
