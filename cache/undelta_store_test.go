package cache

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUndeltaStorePushesAllObjects(t *testing.T) {
	var pushed [][]any
	store := NewUndeltaStore(func(all []any) { pushed = append(pushed, all) }, testItemKey)
	a, b := testItem{name: "a", value: 1}, testItem{name: "b", value: 1}
	a2, c := testItem{name: "a", value: 2}, testItem{name: "c", value: 1}

	require.NoError(t, store.Add(a))
	require.NoError(t, store.Add(b))
	require.NoError(t, store.Update(a2))
	require.NoError(t, store.Delete(testItem{name: "b"}))
	require.NoError(t, store.Replace([]any{c, b}, "1"))
	want := [][]any{{a}, {a, b}, {a2, b}, {a2}, {c, b}}
	require.Len(t, pushed, len(want))
	for i := range want {
		require.ElementsMatch(t, want[i], pushed[i])
	}

	clear(pushed[4])
	require.ElementsMatch(t, []any{b, c}, store.List(), "PushFunc owns its slice")
}

func TestUndeltaStoreDoesNotPushFailedWrites(t *testing.T) {
	store := NewUndeltaStore(func([]any) { t.Error("pushed") }, testItemKey)
	for _, err := range []error{store.Add("x"), store.Update("x"), store.Delete("x"), store.Replace([]any{"x"}, "1")} {
		require.ErrorAs(t, err, new(KeyError))
	}
	require.NoError(t, (&UndeltaStore{Store: NewStore(testItemKey)}).Add(testItem{name: "a"}), "without a PushFunc")
}
