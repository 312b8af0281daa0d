package workqueue

import (
	"context"
	"sync"
	"sync/atomic"
)

// DoWorkPieceFunc does one piece of the work of [ParallelizeUntil].
type DoWorkPieceFunc func(piece int)

type options struct {
	chunkSize int
}

// Options changes how [ParallelizeUntil] works.
type Options func(*options)

// WithChunkSize lets a worker take that many pieces at a time. Worth it when
// there are many pieces with little to do in each.
func WithChunkSize(c int) func(*options) {
	return func(o *options) { o.chunkSize = c }
}

// ParallelizeUntil calls doWorkPiece with each of 0 to pieces-1, on that many
// workers, and returns when all calls have returned. Once ctx is done no
// further piece is begun. A ctx that is nil is never done.
//
// There is at least one worker and at least one piece to a chunk, whatever
// was asked for. With no piece, or no doWorkPiece, there is nothing to do. A
// panic in doWorkPiece ends the process, as in any goroutine.
func ParallelizeUntil(ctx context.Context, workers, pieces int, doWorkPiece DoWorkPieceFunc, opts ...Options) {
	if pieces <= 0 || doWorkPiece == nil {
		return
	}
	o := options{chunkSize: 1}
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	var stop <-chan struct{}
	if ctx != nil {
		stop = ctx.Done()
	}
	chunk := min(max(1, o.chunkSize), pieces)
	chunks := (pieces-1)/chunk + 1

	var next atomic.Int64
	var running sync.WaitGroup
	for range min(max(1, workers), chunks) {
		running.Go(func() {
			for c := int(next.Add(1)) - 1; c < chunks; c = int(next.Add(1)) - 1 {
				first := c * chunk
				for piece := first; piece < first+min(chunk, pieces-first); piece++ {
					select {
					case <-stop:
						return
					default:
						doWorkPiece(piece)
					}
				}
			}
		})
	}
	running.Wait()
}
