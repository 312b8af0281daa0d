package informer

import (
	"fmt"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/apitest"
)

// simOutages are the outages from which the simulation chooses.
var simOutages = []apitest.Outage{
	{Kind: apitest.OutageRefused},
	{Kind: apitest.OutageReset},
	{Kind: apitest.OutageEOF},
	{Kind: apitest.OutageHalfOpen},
	{Kind: apitest.OutageTruncated},
	{Kind: apitest.OutageUnavailable},
	{Kind: apitest.OutageUnavailable, RetryAfter: 3 * time.Second},
	{Kind: apitest.OutageTooManyRequests},
	{Kind: apitest.OutageTooManyRequests, RetryAfter: 3 * time.Second},
}

// The names under which an outage is counted in addition to its form.
const (
	outageThenCompact = "outage, then a compaction"
	outageThenBack    = "outage, then a server set back"
	outageRepeated    = "outage after another one"
)

func outageHit(o apitest.Outage) string { return fmt.Sprintf("outage: %s", o) }

// outages begins and ends one to five outages of random forms, with short pauses
// between them. During an outage, objects are written, and the server may be compacted
// or set back.
func (s *simulation) outages() {
	for n := range 1 + s.rng.IntN(5) {
		o := simOutages[s.rng.IntN(len(simOutages))]
		phase := s.informer.State().Source.Phase
		s.hits.hit(outageHit(o), phase)
		if n > 0 {
			s.hits.hit(outageRepeated, phase)
		}
		s.log.add("server", "outage: %s while %s", o, phase)
		end := s.server.BeginOutage(o)
		longest := []int{3, 8, 45, 300}[s.rng.IntN(4)]
		s.idle(longest)
		s.write()
		s.duringOutage()
		end()
		s.log.add("server", "the outage ends")
		s.idle([]int{1, 5}[s.rng.IntN(2)])
	}
}

// duringOutage sometimes compacts the server or sets it back.
func (s *simulation) duringOutage() {
	phase := s.informer.State().Source.Phase
	switch s.rng.IntN(8) {
	case 0, 1:
		s.log.add("server", "compact during the outage")
		s.server.Compact()
		s.hits.hit(outageThenCompact, phase)
	case 2:
		if s.setBack() {
			s.hits.hit(outageThenBack, phase)
		}
	}
}

// idle lets at most the given number of seconds pass.
func (s *simulation) idle(seconds int) {
	time.Sleep(time.Duration(1+s.rng.IntN(seconds*1000)) * time.Millisecond)
	synctest.Wait()
	s.checkInvariants()
}
