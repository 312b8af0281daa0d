package informer

import (
	"sync/atomic"
	"time"
)

// pace says how long a listener's next run may be. A clock and a lock for each
// callback would cost more than most callbacks do; but what is in a run cannot
// be merged any more, and nobody sees how far it has come. So runs grow as long
// as they are quick, and a slow handler gets one notification at a time.
type pace struct {
	most  int
	began time.Time
}

const (
	longestRun = maxChunk
	quickRun   = time.Millisecond
)

// next begins a run, and returns how long it may be.
func (p *pace) next(since *atomic.Int64) int {
	now := time.Now()
	if p.most > 0 && now.Sub(p.began) < quickRun {
		p.most = min(2*p.most, longestRun)
	} else {
		p.most = 1
	}
	p.began = now
	since.Store(now.UnixNano())
	return p.most
}
