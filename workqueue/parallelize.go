package workqueue

import (
	"context"
	"sync"
	"sync/atomic"
)

// DoWorkPieceFunc processes one piece of the work of [ParallelizeUntil].
type DoWorkPieceFunc = func(piece int)

type options struct {
	chunkSize int
}

// Options is an option of [ParallelizeUntil].
type Options func(*options)

// WithChunkSize sets the number of pieces that a worker takes at a time. Use it
// if there are many small pieces.
func WithChunkSize(c int) func(*options) {
	return func(o *options) { o.chunkSize = c }
}

// ParallelizeUntil calls doWorkPiece with each number from 0 to pieces-1, on
// the given number of workers, and returns when all calls have returned. When
// ctx is done, no further piece is started. A nil ctx is never done.
//
// A number of workers or a chunk size below 1 counts as 1. If pieces is 0 or
// less, or doWorkPiece is nil, ParallelizeUntil does nothing. A panic in
// doWorkPiece ends the process, as in any goroutine.
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
