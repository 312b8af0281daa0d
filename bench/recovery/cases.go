package recovery

import (
	"time"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/outage"
)

// schedules returns the schedules of the cases.
func schedules() []schedule {
	var (
		reset     = outage.Fault{Form: outage.Reset}
		eof       = outage.Fault{Form: outage.EOF}
		refused   = outage.Fault{Form: outage.Refused}
		halfOpen  = outage.Fault{Form: outage.HalfOpen}
		parted    = outage.Fault{Form: outage.Partitioned}
		truncated = outage.Fault{Form: outage.Truncated}
		no503     = outage.Fault{Form: outage.Unavailable}
		later503  = outage.Fault{Form: outage.Unavailable, RetryAfter: 2 * time.Second}
		later429  = outage.Fault{Form: outage.TooManyRequests, RetryAfter: time.Second}
	)
	const brief, middling, long = 3 * time.Second, 8 * time.Second, 45 * time.Second
	return []schedule{
		{name: "reset-45s-50", informers: 50, fault: reset, lasts: long},
		{name: "eof-3s-11", informers: 11, fault: eof, lasts: brief},
		{name: "refused-45s-11", informers: 11, fault: refused, lasts: long},
		{name: "away-8s-410-50", informers: 50, fault: refused, lasts: middling, expired: true},
		{name: "kill-5x-11", informers: 11, fault: refused, lasts: brief, times: 5},
		{name: "reset-5x-410-50", informers: 50, fault: reset, lasts: brief, times: 5, expired: true},
		{name: "partition-45s-50", informers: 50, fault: parted, lasts: long},
		{name: "half-open-45s-11", informers: 11, fault: halfOpen, lasts: long},
		{name: "truncated-8s-50", informers: 50, fault: truncated, lasts: middling},
		{name: "503-45s-50", informers: 50, fault: no503, lasts: long},
		{name: "503-retry-after-8s-11", informers: 11, fault: later503, lasts: middling},
		{name: "429-8s-50", informers: 50, fault: later429, lasts: middling},
		{name: "middlebox-50", informers: 50, middlebox: true, lasts: 30 * time.Second},
		{name: "restored-8s-11", informers: 11, fault: refused, lasts: middling, restored: true},
		{name: "functions-45s-11", informers: 11, sources: fromFunctions, fault: refused, lasts: long},
		{name: "cache-3x-410-11", informers: 11, sources: fromClientset, fault: refused, lasts: brief, times: 3, expired: true},
	}
}

// Cases returns the cases of this package.
func Cases() (cases []harness.Case) {
	for _, s := range schedules() {
		if s.sources == "" {
			s.sources = fromViews
		}
		cases = append(cases, harness.Case{
			Name: "recover/" + s.name, About: s.about(), Unit: "s", N: 1, Rounds: 1, OnlyNamed: true,
			Together: func() func(ours, theirs *harness.Meter) {
				return func(ours, theirs *harness.Meter) { s.run().report(s, ours, theirs) }
			},
		})
	}
	return cases
}
