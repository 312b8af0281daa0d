package cache

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A Transaction makes the writes that can be made, in their order, as one, and
// tells of the others.
func TestTransaction(t *testing.T) {
	ix := NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace)
	store := ix.(TransactionStore)
	require.Nil(t, store.Transaction())
	require.NoError(t, ix.Add(newThing("", "gone", "1", "red")))
	a, a2 := newThing("", "a", "5", "red"), newThing("", "a", "6", "blue")
	failed := store.Transaction(
		Transaction{Object: a, Type: TransactionTypeAdd},
		Transaction{Object: "no thing", Type: TransactionTypeUpdate},
		Transaction{Object: a2, Type: TransactionTypeUpdate},
		Transaction{Object: newThing("", "gone", "3", ""), Type: TransactionTypeDelete},
		Transaction{Object: newThing("", "b", "4", ""), Type: "Upsert"},
	)
	require.Equal(t, []int{0, 2, 3}, failed.SuccessfulIndices)
	require.Equal(t, 5, failed.TotalTransactions)
	require.Len(t, failed.Errors, 2)
	require.ErrorContains(t, failed, "2 of 5 transactions failed")
	require.ErrorContains(t, failed, `a transaction cannot be of type "Upsert"`)
	var keyError KeyError
	require.ErrorAs(t, failed, &keyError)
	require.Equal(t, "no thing", keyError.Obj)
	require.Equal(t, []any{a2}, ix.List())
	require.Equal(t, "6", ix.LastStoreSyncResourceVersion(), "the newest of those that were made")

	require.NotNil(t, store.Transaction(Transaction{Object: 1, Type: TransactionTypeAdd}))
	require.Equal(t, []any{a2}, ix.List())
}

// No reader sees a part of a Transaction.
func TestTransactionIsOneChange(t *testing.T) {
	s := NewStore(func(obj any) (string, error) { return fmt.Sprint(obj.([2]int)[0]), nil })
	const objects, rounds = 5, 2000
	write := func(round int) {
		var txns []Transaction
		for i := range objects {
			txns = append(txns, Transaction{Object: [2]int{i, round}, Type: TransactionTypeUpdate})
		}
		_ = s.(TransactionStore).Transaction(txns...)
	}
	write(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for round := range rounds {
			write(round)
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		list := s.List()
		require.Len(t, list, objects)
		for _, obj := range list {
			require.Equal(t, list[0].([2]int)[1], obj.([2]int)[1])
		}
	}
}

// What is stored is what the transformer makes of an object, under the key and at
// the version that it had before; what it does not make, is not stored.
func TestWithTransformer(t *testing.T) {
	errUgly := errors.New("ugly")
	paint := func(obj any) (any, error) {
		in := obj.(*thing)
		if in.color == "ugly" {
			return nil, errUgly
		}
		return newThing(in.Namespace, "painted-"+in.Name, "", "painted"), nil
	}
	ix := NewIndexer(MetaNamespaceKeyFunc, colorAndNamespace, WithTransformer(paint))
	require.NoError(t, ix.Add(newThing("x", "a", "1", "")))
	require.NoError(t, ix.Update(newThing("x", "b", "2", "")))
	require.Equal(t, "2", ix.LastStoreSyncResourceVersion())
	require.Nil(t, ix.(TransactionStore).Transaction(
		Transaction{Object: newThing("x", "c", "3", ""), Type: TransactionTypeAdd},
		Transaction{Object: newThing("x", "b", "4", "ugly"), Type: TransactionTypeDelete},
	))
	keys, err := ix.IndexKeys("color", "painted")
	require.NoError(t, err)
	require.Equal(t, []string{"x/a", "x/c"}, keys, "the keys that they were stored under")
	for _, err := range []error{
		ix.Add(newThing("x", "d", "8", "ugly")),
		ix.Update(newThing("x", "a", "8", "ugly")),
		ix.Replace([]any{newThing("x", "e", "8", ""), newThing("x", "d", "8", "ugly")}, "9"),
		ix.(TransactionStore).Transaction(Transaction{Object: newThing("x", "d", "8", "ugly"), Type: TransactionTypeAdd}),
	} {
		require.ErrorIs(t, err, errUgly)
	}
	require.ElementsMatch(t, []string{"x/a", "x/c"}, ix.ListKeys())
	require.Equal(t, "4", ix.LastStoreSyncResourceVersion())
	list := []any{newThing("x", "f", "10", "plain")}
	require.NoError(t, ix.Replace(list, "10"))
	require.Equal(t, "plain", list[0].(*thing).color, "the list is the caller's")
	require.Equal(t, "painted", ix.List()[0].(*thing).color)
}
