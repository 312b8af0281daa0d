package harness

import "sync"

// Parallel calls f once for each worker, each in a goroutine of its own, and
// waits for all. A panic in one of them becomes the caller's, so that it costs
// the case and not the run.
func Parallel(workers int, f func(worker int)) {
	var (
		group sync.WaitGroup
		first sync.Once
		cause any
	)
	for worker := range workers {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					first.Do(func() { cause = p })
				}
			}()
			f(worker)
		})
	}
	group.Wait()
	if cause != nil {
		panic(cause)
	}
}
