package informers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func at(uid, version string) objectState { return objectState{types.UID(uid), version} }

// Each rule of histories accepts a history, and rejects a similar one that breaks it.
func TestRulesRejectIllegalHistories(t *testing.T) {
	added := func(s objectState) notification { return notification{call: add, key: "k", new: s} }
	first := func(s objectState) notification { return notification{call: add, key: "k", new: s, initial: true} }
	changed := func(old, new objectState) notification {
		return notification{call: update, key: "k", old: old, new: new}
	}
	gone := func(s objectState) notification { return notification{call: remove, key: "k", old: s} }
	unseen := func(s objectState) notification { return notification{call: remove, key: "k", old: s, unknown: true} }
	life := []notification{added(at("u", "1")), changed(at("u", "1"), at("u", "2")), gone(at("u", "3")), added(at("v", "4")), unseen(at("v", "4"))}
	for _, test := range []struct {
		name, wrong string
		calls       []notification
	}{
		{"legal", "", life},
		{"added twice", "the handler has it", []notification{added(at("u", "1")), added(at("u", "2"))}},
		{"an update of the unknown", "does not know it", []notification{changed(at("u", "1"), at("u", "2"))}},
		{"a deletion of the unknown", "does not know it", []notification{gone(at("u", "1"))}},
		{"deleted twice", "does not know it", []notification{added(at("u", "1")), gone(at("u", "2")), gone(at("u", "2"))}},
		{"a state between was left out", "the handler received 1", []notification{added(at("u", "1")), changed(at("u", "2"), at("u", "3"))}},
		{"an update to another object", "another object", []notification{added(at("u", "1")), changed(at("u", "1"), at("v", "2"))}},
		{"an update to what it was", "not a newer state", []notification{added(at("u", "1")), changed(at("u", "1"), at("u", "1"))}},
		{"an update to an older state", "not a newer state", []notification{added(at("u", "9")), changed(at("u", "9"), at("u", "8"))}},
		{"a deletion of another object", "the handler has it as", []notification{added(at("u", "1")), gone(at("v", "2"))}},
		{"unknown final state that was not received", "the handler received", []notification{added(at("u", "1")), unseen(at("u", "2"))}},
		{"known final state with the previous version", "no version of its own", []notification{added(at("u", "1")), gone(at("u", "1"))}},
		{"a state that was never written", "never written", []notification{added(at("u", "5"))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := legal(test.calls, func(_ string, s objectState) bool { return s.version != "5" })
			requireWrong(t, test.wrong, err)
		})
	}

	other := notification{call: add, key: "l", new: at("w", "2")}
	for _, test := range []struct {
		name, wrong string
		calls       []notification
	}{
		{"in order", "", []notification{first(at("u", "9")), added(at("u", "1")), other, gone(at("u", "3"))}},
		{"across keys out of order", "out of order", []notification{other, added(at("u", "1"))}},
		{"a deletion out of order", "out of order", []notification{other, gone(at("u", "1"))}},
		{"unseen", "no event was missed", []notification{unseen(at("u", "1"))}},
	} {
		t.Run(test.name, func(t *testing.T) { requireWrong(t, test.wrong, inOrder(test.calls)) })
	}

	for _, test := range []struct {
		name, wrong string
		calls       []notification
	}{
		{"all", "", life},
		{"across keys in another order", "", append([]notification{other}, life...)},
		{"without its end", "was not received", life[:4]},
		{"without its middle", "want", append(life[:1:1], life[2:]...)},
		{"something twice", "was not expected", append(life[:5:5], life[4])},
		{"another state", "want", append([]notification{added(at("u", "0"))}, life[1:]...)},
		{"another call", "want", append([]notification{changed(at("u", "0"), at("u", "1"))}, life[1:]...)},
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
