package leader

import "sync"

// herald tells a function of the user's who leads, on a goroutine of its own, so
// that no renewal waits for it.
type herald struct {
	// news holds the newest leader that the function has not been told of.
	news chan string
	last *string
}

// start begins to tell, and returns how to end that: it waits for a call that is
// under way.
func (h *herald) start(tell func(string)) (stop func()) {
	if tell == nil {
		return func() {}
	}
	h.news = make(chan string, 1)
	var done sync.WaitGroup
	done.Go(func() {
		told, some := "", false
		for holder := range h.news {
			if !some || holder != told {
				tell(holder)
			}
			told, some = holder, true
		}
	})
	return func() { close(h.news); done.Wait() }
}

// tell replaces what was not told yet.
func (h *herald) tell(holder string) {
	if h.news == nil || h.last != nil && *h.last == holder {
		return
	}
	h.last = &holder
	select {
	case <-h.news:
	default:
	}
	h.news <- holder
}
