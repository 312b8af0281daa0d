package rest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func lossy(uid string) *SlimMeta { return &SlimMeta{Name: "n" + uid, UID: types.UID(uid)} }

func TestLossesGoByObject(t *testing.T) {
	var l losses
	require.NoError(t, l.check(lossy("1")))
	l.note(lossy("1"), "spec.x")
	l.note(lossy("2"), "")
	require.ErrorContains(t, l.check(lossy("1")), "spec.x")
	require.ErrorIs(t, l.check(lossy("1")), ErrWouldDropFields)
	require.NoError(t, l.check(lossy("2")))
	l.note(lossy("1"), "")
	require.NoError(t, l.check(lossy("1")), "read again, with nothing lost")

	l.note(&SlimMeta{Name: "a", Namespace: "ns"}, "spec.y")
	require.Error(t, l.check(&SlimMeta{Name: "a", Namespace: "ns"}), "by name where there is no uid")
	require.NoError(t, l.check(&SlimMeta{Name: "a", Namespace: "other"}))

	l.note(&SlimMeta{Name: "b", UID: "9"}, "spec.z")
	require.Error(t, l.check(&SlimMeta{Name: "b"}), "a copy whose uid was cleared")
	require.NoError(t, l.check(&SlimMeta{Name: "b", UID: "10"}), "a later object of the name")
}

// What is remembered is bounded, and errs on the safe side.
func TestLossesAreBounded(t *testing.T) {
	var l losses
	for i := range maxLosses {
		l.note(lossy(strconv.Itoa(i)), "spec.x")
		l.note(lossy(strconv.Itoa(i)), "spec.x")
	}
	require.NoError(t, l.check(lossy("never seen")))
	l.note(lossy("one more"), "spec.last")
	require.Nil(t, l.byObject)
	require.ErrorContains(t, l.check(lossy("never seen")), "spec.last")
	l.note(lossy("1"), "")
	require.Error(t, l.check(lossy("1")), "nothing is known of single objects any more")
	l.note(lossy("2"), "spec.y")
	require.Nil(t, l.byObject, "and nothing is remembered")
}
