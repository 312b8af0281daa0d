package informers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func at(uid, version string) sight { return sight{types.UID(uid), version} }

// Each rule by which histories are judged has one that breaks it, and the
// nearest that does not.
func TestTheRulesKnowIllegalHistories(t *testing.T) {
	added := func(s sight) told { return told{call: add, key: "k", new: s} }
	first := func(s sight) told { return told{call: add, key: "k", new: s, initial: true} }
	changed := func(old, new sight) told { return told{call: update, key: "k", old: old, new: new} }
	gone := func(s sight) told { return told{call: remove, key: "k", old: s} }
	unseen := func(s sight) told { return told{call: remove, key: "k", old: s, unknown: true} }
	life := []told{added(at("u", "1")), changed(at("u", "1"), at("u", "2")), gone(at("u", "3")), added(at("v", "4")), unseen(at("v", "4"))}
	for _, test := range []struct {
		name, wrong string
		calls       []told
	}{
		{"a life", "", life},
		{"added twice", "the handler has it", []told{added(at("u", "1")), added(at("u", "2"))}},
		{"an update of the unknown", "does not know it", []told{changed(at("u", "1"), at("u", "2"))}},
		{"a deletion of the unknown", "does not know it", []told{gone(at("u", "1"))}},
		{"deleted twice", "does not know it", []told{added(at("u", "1")), gone(at("u", "2")), gone(at("u", "2"))}},
		{"a state between was left out", "saw it last as 1", []told{added(at("u", "1")), changed(at("u", "2"), at("u", "3"))}},
		{"an update to another object", "another object", []told{added(at("u", "1")), changed(at("u", "1"), at("v", "2"))}},
		{"an update to what it was", "no newer state", []told{added(at("u", "1")), changed(at("u", "1"), at("u", "1"))}},
		{"an update to an older state", "no newer state", []told{added(at("u", "9")), changed(at("u", "9"), at("u", "8"))}},
		{"a deletion of another object", "the handler has it as", []told{added(at("u", "1")), gone(at("v", "2"))}},
		{"unseen with a state that was not told", "saw it last as", []told{added(at("u", "1")), unseen(at("u", "2"))}},
		{"seen with a version from before", "no version of its own", []told{added(at("u", "1")), gone(at("u", "1"))}},
		{"what was never written", "nobody wrote that", []told{added(at("u", "5"))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := legal(test.calls, func(_ string, s sight) bool { return s.version != "5" })
			requireWrong(t, test.wrong, err)
		})
	}

	other := told{call: add, key: "l", new: at("w", "2")}
	for _, test := range []struct {
		name, wrong string
		calls       []told
	}{
		{"in order", "", []told{first(at("u", "9")), added(at("u", "1")), other, gone(at("u", "3"))}},
		{"across keys out of order", "out of order", []told{other, added(at("u", "1"))}},
		{"a deletion out of order", "out of order", []told{other, gone(at("u", "1"))}},
		{"unseen", "everything was seen", []told{unseen(at("u", "1"))}},
	} {
		t.Run(test.name, func(t *testing.T) { requireWrong(t, test.wrong, inOrder(test.calls)) })
	}

	for _, test := range []struct {
		name, wrong string
		calls       []told
	}{
		{"all that happened", "", life},
		{"across keys in another order", "", append([]told{other}, life...)},
		{"without its end", "was not told", life[:4]},
		{"without its middle", "should have been", append(life[:1:1], life[2:]...)},
		{"something twice", "should not have been", append(life[:5:5], life[4])},
		{"another state", "should have been", append([]told{added(at("u", "0"))}, life[1:]...)},
		{"another call", "should have been", append([]told{changed(at("u", "0"), at("u", "1"))}, life[1:]...)},
	} {
		t.Run(test.name, func(t *testing.T) {
			should := life
			if test.calls[0] == other {
				should = append(life[:5:5], other)
			}
			requireWrong(t, test.wrong, complete(test.calls, should))
		})
	}
}

func requireWrong(t *testing.T, wrong string, err error) {
	t.Helper()
	if wrong == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, wrong)
}
