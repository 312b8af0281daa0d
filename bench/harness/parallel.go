package harness

import "sync"

// Parallel calls f once for each worker, each in its own goroutine, and waits for all.
// It panics if one of them has panicked, so that the panic fails the case and does not
// end the program.
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
