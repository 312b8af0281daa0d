package judge

import (
	"runtime"
	"sync/atomic"
)

// yields is how often Returns lets other goroutines run. It is enough for a machine under
// load, and takes less than a second.
const yields = 1 << 20

// Returns calls f in a goroutine and reports whether it returns while the caller runs. It
// is for calls that must not wait for a mutex that the solution holds during a callback:
// a bubble does not find them, because a mutex may be unlocked from outside. If it
// reports false, the caller returns from the callback, so that f can end.
func (t *T) Returns(call string, f func()) bool {
	var returned atomic.Bool
	t.Go(call, func() {
		defer returned.Store(true)
		f()
	})
	for range yields {
		if returned.Load() {
			return true
		}
		runtime.Gosched()
	}
	return returned.Load()
}
