package cache

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnUndeltaStoreHandsOnAllItHas(t *testing.T) {
	var pushed [][]any
	store := NewUndeltaStore(func(all []any) { pushed = append(pushed, all) }, cardKey)
	a, b := card{name: "a", value: 1}, card{name: "b", value: 1}
	a2, c := card{name: "a", value: 2}, card{name: "c", value: 1}

	require.NoError(t, store.Add(a))
	require.NoError(t, store.Add(b))
	require.NoError(t, store.Update(a2))
	require.NoError(t, store.Delete(card{name: "b"}))
	require.NoError(t, store.Replace([]any{c, b}, "1"))
	want := [][]any{{a}, {a, b}, {a2, b}, {a2}, {c, b}}
	require.Len(t, pushed, len(want))
	for i := range want {
		require.ElementsMatch(t, want[i], pushed[i])
	}

	clear(pushed[4])
	require.ElementsMatch(t, []any{b, c}, store.List(), "what was handed on is the receiver's own")
}

func TestAnUndeltaStoreHandsOnNothingIfAWriteFails(t *testing.T) {
	store := NewUndeltaStore(func([]any) { t.Error("pushed") }, cardKey)
	for _, err := range []error{store.Add("x"), store.Update("x"), store.Delete("x"), store.Replace([]any{"x"}, "1")} {
		require.ErrorAs(t, err, new(KeyError))
	}
	require.NoError(t, (&UndeltaStore{Store: NewStore(cardKey)}).Add(card{name: "a"}), "nobody to hand anything to")
}
