package informer

import "sync/atomic"

// A life is gone through once: idle, running, stopped.
type life struct{ phase atomic.Int32 }

const (
	idle int32 = iota
	running
	stopped
)

// begin makes an idle one a running one.
//
// Possible errors: ErrRunning, ErrStopped.
func (l *life) begin() error {
	if l.phase.CompareAndSwap(idle, running) {
		return nil
	}
	if l.phase.Load() == stopped {
		return ErrStopped
	}
	return ErrRunning
}

func (l *life) end() { l.phase.Store(stopped) }

func (l *life) running() bool { return l.phase.Load() == running }

func (l *life) stopped() bool { return l.phase.Load() == stopped }
