package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func numbers(records []Record) (all []uint64) {
	for _, r := range records {
		all = append(all, r.N)
	}
	return all
}

// The ring keeps the newest records, and returns them after any number that it knows.
func TestRing(t *testing.T) {
	r := newRing(4)
	found, ok := r.after(0, 10)
	require.True(t, ok)
	require.Empty(t, found)
	for i := range 10 {
		r.add(Record{Key: fmt.Sprint(i + 1)})
		for n := uint64(0); n <= r.newest()+1; n++ {
			found, ok := r.after(n, 2)
			require.Equal(t, n <= r.newest() && n+1 >= r.oldest(), ok, "after %d of %d", n, r.newest())
			if !ok {
				continue
			}
			require.Len(t, found, int(min(2, r.newest()-n)))
			for j, record := range found {
				require.Equal(t, n+1+uint64(j), record.N)
				require.Equal(t, fmt.Sprint(record.N), record.Key)
			}
		}
	}
	found, ok = r.after(6, 10)
	require.True(t, ok)
	require.Equal(t, []uint64{7, 8, 9, 10}, numbers(found))
}

// A wait for a record ends with the next one, or at once if there is one.
func TestAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(4)
		waiting := r.added(0)
		select {
		case <-waiting:
			t.Fatal("there is no record")
		default:
		}
		r.add(Record{})
		<-waiting
		<-r.added(0)
		again := r.added(1)
		r.add(Record{})
		<-again
	})
}

// A stream begins with a snapshot, continues without gaps, and skips to a snapshot if it
// is too far behind or the records are gone.
func TestCursor(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		var c cursor
		first := c.next(f.view)
		require.Len(t, first, 1)
		require.NotNil(t, first[0].Snapshot)
		require.Zero(t, first[0].Snapshot.Skipped)
		require.Empty(t, c.next(f.view))

		f.view.records.add(Record{Stage: StageControl})
		f.view.records.add(Record{Stage: StageControl})
		require.Equal(t, []uint64{first[0].N + 1, first[0].N + 2}, numbers(c.next(f.view)))

		resumed := f.view.resumed(fmt.Sprintf("%s-%d", f.view.startID(), first[0].N))
		require.Equal(t, []uint64{first[0].N + 1, first[0].N + 2}, numbers(resumed.next(f.view)))
		for _, id := range []string{"", "x", "-", "x-1", f.view.startID() + "-x", f.view.startID() + "--1"} {
			require.Equal(t, cursor{}, f.view.resumed(id), id)
		}
		future := f.view.resumed(f.view.startID() + "-99999999")
		require.NotNil(t, future.next(f.view)[0].Snapshot)

		for range maxMessage + 1 {
			f.view.records.add(Record{Stage: StageControl})
		}
		require.Len(t, c.next(f.view), maxMessage)
		require.Len(t, c.next(f.view), 1)
		for range maxBehind + 1 {
			f.view.records.add(Record{Stage: StageControl})
		}
		behind := c.next(f.view)
		require.Len(t, behind, 1)
		require.GreaterOrEqual(t, behind[0].Snapshot.Skipped, uint64(maxBehind+1))
		f.settle()
	})
}

// A delta leaves the DeltaFIFO when it is popped, with the earlier ones of its key.
func TestTallyOfDeltas(t *testing.T) {
	tally := newTally()
	delta := func(kind, key, version string) {
		tally.apply(&Record{Stage: StageFIFO, Kind: kind, Key: key, Version: version, Event: "Updated"})
	}
	versions := func() (all string) {
		for _, d := range tally.deltas {
			all += d.Key + d.Version + " "
		}
		return all
	}
	delta("filed", "a", "1")
	delta("filed", "b", "2")
	delta("filed", "a", "3")
	delta("filed", "a", "4")
	require.Equal(t, "a1 b2 a3 a4 ", versions())
	delta("popped", "a", "3")
	require.Equal(t, "b2 a4 ", versions())
	tally.apply(&Record{Stage: StageStore, Kind: "batch", Pending: 1})
	require.Equal(t, "b2 a4 ", versions())
	tally.apply(&Record{Stage: StageStore, Kind: "batch"})
	require.Empty(t, versions())
	for i := range 3 * maxDeltas {
		delta("filed", "c", fmt.Sprint(i))
	}
	require.Len(t, tally.deltas, maxDeltas)
}

// The text of an error is one line of bounded length, and ends with a whole rune.
func TestTextOf(t *testing.T) {
	require.Empty(t, textOf(nil))
	require.Equal(t, "first", textOf(errors.New("first\nsecond")))
	require.Equal(t, "x"+strings.Repeat("é", (maxError-1)/2), textOf(errors.New("x"+strings.Repeat("é", maxError))))
}
