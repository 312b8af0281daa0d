package workqueue

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Each piece is done once, for all numbers of workers, pieces and chunk sizes.
func TestParallelizeUntilDoesEachPieceOnce(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 3, 100} {
		for _, pieces := range []int{-1, 0, 1, 7, 1000} {
			for _, chunk := range []int{math.MinInt, 0, 1, 3, 999, math.MaxInt} {
				done := make([]atomic.Int32, max(0, pieces))
				ParallelizeUntil(t.Context(), workers, pieces, func(piece int) { done[piece].Add(1) },
					WithChunkSize(chunk), nil)
				for piece := range done {
					if n := done[piece].Load(); n != 1 {
						t.Fatalf("%d workers, chunk %d: piece %d of %d done %d times", workers, chunk, piece, pieces, n)
					}
				}
			}
		}
	}
	ParallelizeUntil(t.Context(), 1, 1, nil)
	var never context.Context // client-go accepts a nil context
	ParallelizeUntil(never, 1, 1, func(int) {})
}

// There are as many workers as requested, but not more than chunks.
func TestParallelizeUntilWorkers(t *testing.T) {
	for _, test := range []struct{ workers, pieces, chunk, want int }{
		{4, 100, 1, 4}, {100, 10, 1, 10}, {100, 10, 3, 4}, {0, 10, 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int32
			ParallelizeUntil(t.Context(), test.workers, test.pieces, func(int) {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				now.Add(-1)
			}, WithChunkSize(test.chunk))
			assert.EqualValues(t, test.want, most.Load())
		})
	}
}

// When ctx is done, no further piece begins, and ParallelizeUntil waits for
// the running ones.
func TestParallelizeUntilStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		var begun, ended atomic.Int32
		ParallelizeUntil(ctx, 2, 1000, func(int) {
			begun.Add(1)
			time.Sleep(time.Second)
			ended.Add(1)
		}, WithChunkSize(10))
		assert.EqualValues(t, 6, begun.Load())
		assert.EqualValues(t, 6, ended.Load())
	})
}
