package rest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func lossy(uid string) *SlimMeta { return &SlimMeta{Name: "n" + uid, UID: types.UID(uid)} }

func TestLossesAreRecordedByObject(t *testing.T) {
	var l fieldLosses
	require.NoError(t, l.check(lossy("1")))
	l.record(lossy("1"), "spec.x")
	l.record(lossy("2"), "")
	require.ErrorContains(t, l.check(lossy("1")), "spec.x")
	require.ErrorIs(t, l.check(lossy("1")), ErrWouldDropFields)
	require.NoError(t, l.check(lossy("2")))
	l.record(lossy("1"), "")
	require.NoError(t, l.check(lossy("1")), "read again without a loss")

	l.record(&SlimMeta{Name: "a", Namespace: "ns"}, "spec.y")
	require.Error(t, l.check(&SlimMeta{Name: "a", Namespace: "ns"}), "by name if there is no uid")
	require.NoError(t, l.check(&SlimMeta{Name: "a", Namespace: "other"}))

	l.record(&SlimMeta{Name: "b", UID: "9"}, "spec.z")
	require.Error(t, l.check(&SlimMeta{Name: "b"}), "a copy whose uid was cleared")
	require.NoError(t, l.check(&SlimMeta{Name: "b", UID: "10"}), "a later object with the name")
}

// The record of losses is bounded. If it is full, an update is refused.
func TestLossesAreBounded(t *testing.T) {
	var l fieldLosses
	for i := range maxTrackedLosses {
		l.record(lossy(strconv.Itoa(i)), "spec.x")
		l.record(lossy(strconv.Itoa(i)), "spec.x")
	}
	require.NoError(t, l.check(lossy("never seen")))
	l.record(lossy("one more"), "spec.last")
	require.Nil(t, l.byObject)
	require.ErrorContains(t, l.check(lossy("never seen")), "spec.last")
	l.record(lossy("1"), "")
	require.Error(t, l.check(lossy("1")), "single objects are no longer distinguished")
	l.record(lossy("2"), "spec.y")
	require.Nil(t, l.byObject, "nothing is recorded")
}
