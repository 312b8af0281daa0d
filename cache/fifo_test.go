package cache

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// referenceFIFO is a FIFO in a slice, without goroutines.
type referenceFIFO struct {
	line              []fifoItem
	begun             bool
	synced            bool
	processingInitial bool // an item of the initial list is being processed
}

func (f *referenceFIFO) add(key string, obj any) {
	f.updateSynced()
	if i := f.find(key); i >= 0 {
		f.line[i].obj = obj
		return
	}
	f.line = append(f.line, fifoItem{key: key, obj: obj})
}

func (f *referenceFIFO) find(key string) int {
	return slices.IndexFunc(f.line, func(item fifoItem) bool { return item.key == key })
}

func (f *referenceFIFO) remove(key string) {
	if i := f.find(key); i >= 0 {
		f.line = slices.Delete(f.line, i, i+1)
	}
	f.updateSynced()
}

func (f *referenceFIFO) replace(items []fifoItem) {
	f.line = nil
	for _, item := range items {
		if i := f.find(item.key); i >= 0 {
			f.line[i].obj = item.obj
			continue
		}
		item.initial = !f.synced
		f.line = append(f.line, item)
	}
	f.updateSynced()
}

func (f *referenceFIFO) pop() fifoItem {
	first := f.line[0]
	f.line = slices.Delete(f.line, 0, 1)
	f.processingInitial = first.initial
	return first
}

// updateSynced is called after each write and after each processed item.
func (f *referenceFIFO) updateSynced() {
	f.begun = true
	left := slices.ContainsFunc(f.line, func(item fifoItem) bool { return item.initial })
	f.synced = f.synced || !left && !f.processingInitial
}

// A FIFO returns the same items as the reference, and is synced at the same
// time.
func TestFIFOModel(t *testing.T) {
	for seed := range uint64(100) {
		if runFIFOModel(t, seed); t.Failed() {
			t.Logf("the seed is %d", seed)
			return
		}
	}
}

func runFIFOModel(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	queue, reference, version := NewFIFO(queuedKey), &referenceFIFO{}, 0
	next := func() (string, any) {
		version++
		key := string(rune('A' + rng.IntN(6)))
		return key, parseQueued(fmt.Sprintf("%s@%d", key, version))
	}
	write := func() {
		key, obj := next()
		switch rng.IntN(8) {
		case 0:
			var list []any
			var items []fifoItem
			for range rng.IntN(5) {
				key, obj := next()
				list = append(list, obj)
				items = append(items, fifoItem{key: key, obj: obj})
			}
			require.NoError(t, queue.Replace(list, "1"))
			reference.replace(items)
		case 1, 2:
			require.NoError(t, queue.Delete(obj))
			reference.remove(key)
		default:
			require.NoError(t, queue.Add(obj))
			reference.add(key, obj)
		}
	}
	for range 60 {
		if rng.IntN(2) == 0 || len(reference.line) == 0 {
			write()
		} else {
			synced := reference.synced
			want := reference.pop()
			popped, err := queue.Pop(func(obj any, isInInitialList bool) error {
				require.Same(t, want.obj, obj)
				require.Equal(t, !synced, isInInitialList)
				for range rng.IntN(3) {
					write()
					require.Equal(t, reference.synced, queue.HasSynced())
				}
				return nil
			})
			require.NoError(t, err)
			require.Same(t, want.obj, popped)
			reference.processingInitial = false
			reference.updateSynced()
		}
		require.Equal(t, reference.synced, queue.HasSynced())
		require.Equal(t, len(reference.line), queue.queue.Len())
		require.Len(t, queue.places, len(reference.line))
	}
}

// "One object is processed at a time. Writes do not wait for processing."
func TestOneObjectIsProcessedAtATime(t *testing.T) {
	queues := map[string]func() Queue{
		"FIFO": func() Queue { return NewFIFO(queuedKey) },
		"RealFIFO": func() Queue {
			return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: queuedKey, AtomicEvents: true})
		},
	}
	for name, queue := range queues {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkOnePopAtATime(t, queue()) })
		})
	}
}

func checkOnePopAtATime(t *testing.T, queue Queue) {
	busy, popped := false, 0
	release := make(chan struct{})
	consume := func() {
		for {
			_, err := queue.Pop(func(any, bool) error {
				require.False(t, busy, "two objects are processed at a time")
				busy = true
				<-release
				busy = false
				popped++
				return nil
			})
			if errors.Is(err, ErrFIFOClosed) {
				return
			}
		}
	}
	for range 3 {
		go consume()
	}
	synctest.Wait()
	for _, word := range []string{"A", "B", "C"} {
		require.NoError(t, queue.Add(parseQueued(word)))
	}
	synctest.Wait()
	require.True(t, busy)
	require.NoError(t, queue.Add(parseQueued("D")), "a write during processing")
	for range 4 {
		release <- struct{}{}
		synctest.Wait()
	}
	require.Equal(t, 4, popped)
	queue.Close()
	synctest.Wait()
}

// A panic of a process function reaches the caller of Pop. The queue
// continues.
func TestPanicOfProcessFunctionReachesPop(t *testing.T) {
	for _, queue := range []Queue{
		NewFIFO(queuedKey),
		NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: queuedKey}),
		NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: queuedKey, AtomicEvents: true}),
	} {
		require.NoError(t, queue.Replace([]any{parseQueued("A")}, "1"))
		require.PanicsWithValue(t, "process failed", func() { _, _ = queue.Pop(func(any, bool) error { panic("process failed") }) })
		require.True(t, queue.HasSynced(), "%T", queue)
		require.NoError(t, queue.Add(parseQueued("B")))
		_, err := queue.Pop(func(any, bool) error { return nil })
		require.NoError(t, err, "%T", queue)
	}
}

// Without a process function Pop returns an error and removes nothing.
func TestPopWithoutProcessFunctionReturnsError(t *testing.T) {
	for _, queue := range []Queue{
		NewFIFO(queuedKey),
		NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: queuedKey}),
		NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: queuedKey, AtomicEvents: true}),
	} {
		require.NoError(t, queue.Add(parseQueued("A")))
		_, err := queue.Pop(nil)
		require.ErrorIs(t, err, errNoProcess)
		if batches, ok := queue.(QueueWithBatch); ok {
			require.ErrorIs(t, batches.PopBatch(nil, nil), errNoProcess)
		}
		_, err = queue.Pop(func(any, bool) error { return nil })
		require.NoError(t, err)
	}
}

// Objects without a key, and queues without a key function, are errors.
func TestObjectsWithoutKeysAreErrors(t *testing.T) {
	fails := func(any) (string, error) { return "", errNoName }
	for _, queue := range []Queue{
		NewFIFO(fails),
		NewFIFO(nil),
		NewDeltaFIFO(fails, nil),
		NewDeltaFIFO(nil, nil),
		NewRealFIFO(fails, orderedStore{}, nil),
		NewRealFIFO(nil, orderedStore{}, nil),
	} {
		for _, obj := range []any{"a string", 7, nil, Deltas(nil), (*queuedObject)(nil)} {
			require.ErrorAs(t, queue.Add(obj), &KeyError{}, "%T %v", queue, obj)
			require.ErrorAs(t, queue.Update(obj), &KeyError{}, "%T %v", queue, obj)
			require.ErrorAs(t, queue.Delete(obj), &KeyError{}, "%T %v", queue, obj)
			require.ErrorAs(t, queue.Replace([]any{obj}, "1"), &KeyError{}, "%T %v", queue, obj)
		}
	}
	var own KeyError
	require.ErrorAs(t, NewDeltaFIFO(fails, nil).Add("a string"), &own)
	require.Equal(t, "a string", own.Obj)
	require.ErrorIs(t, own, errNoName)
}

// A store of this package is used as KnownObjects without an adapter.
func TestKnownObjectsOfIndexer(t *testing.T) {
	store := newIndexer(queuedKey, nil)
	require.Same(t, store.ix, knownObjectsOf(store, nil))
	require.Nil(t, knownObjectsOf(nil, nil))
}

// Strings and other values are objects if the key function returns their keys.
func TestQueuesOfStrings(t *testing.T) {
	itself := func(obj any) (string, error) { return obj.(string), nil }
	for _, queue := range []Queue{
		NewFIFO(itself), NewDeltaFIFO(itself, orderedStore{}), NewRealFIFO(itself, orderedStore{}, nil),
	} {
		require.NoError(t, queue.Add("A"))
		popped, err := queue.Pop(func(any, bool) error { return nil })
		require.NoError(t, err)
		if deltas, ok := popped.(Deltas); ok {
			require.Equal(t, Deltas{{Type: Added, Object: "A"}}, deltas)
		} else {
			require.Equal(t, "A", popped)
		}
	}
}
