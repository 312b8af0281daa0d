package recovery

import (
	"slices"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/outage"
)

// result is the recovery of one library.
type result struct {
	median, last time.Duration
	// first is the time from the end of the outage to the first answer. It is negative
	// if there was none.
	first    time.Duration
	requests outage.Requests
}

// results has the results of both libraries.
type results struct {
	ours, theirs result
	// list is the duration of one list without other load.
	list time.Duration
}

// halfAndAll returns the time from zero until half of the informers and all of them
// were current.
func halfAndAll(current []time.Time, zero time.Time) (median, last time.Duration) {
	current = slices.SortedFunc(slices.Values(current), time.Time.Compare)
	half, all := current[(len(current)-1)/2], current[len(current)-1]
	return max(0, half.Sub(zero)), max(0, all.Sub(zero))
}

// zero returns the time from which recovery is measured.
func zero(ended, firstAnswer, announced time.Time, current []time.Time) time.Time {
	from := firstAnswer
	if earliest := slices.MinFunc(current, time.Time.Compare); firstAnswer.IsZero() || earliest.Before(firstAnswer) {
		from = ended
	}
	if announced.After(from) {
		return announced
	}
	return from
}

// isInTime reports whether our informers recover within the required time. There is no
// requirement for sources that share nothing.
func (r results) isInTime(s schedule) (met, required bool) {
	median, last := time.Second, 3*time.Second
	switch {
	case s.restored:
		median, last = 5*time.Second, 5*time.Second
	case s.fromTheCut():
		median, last = 18*time.Second, 18*time.Second // a ping is sent after 10 s and answered within 5 s
	}
	if s.needsList() {
		median, last = median+r.list, last+r.list
	}
	return r.ours.median <= median && r.ours.last <= last, s.sources != fromFunctions
}

// isInOrder reports whether our informers recover at most half a second later than
// client-go's.
func (r results) isInOrder() bool {
	const grace = 500 * time.Millisecond
	return r.ours.median <= r.theirs.median+grace && r.ours.last <= r.theirs.last+grace
}

// isFrugal reports whether our number of requests is at most that of client-go, plus
// one for each informer and outage (its version check) and one for each second of
// outage. For sources that share nothing, it is that of client-go plus one for each
// informer.
func (r results) isFrugal(s schedule) bool {
	most := r.theirs.requests.Total + s.informers
	if s.sources != fromFunctions {
		most = r.theirs.requests.Total + s.informers*max(1, s.times)
	}
	if s.sources != fromFunctions {
		most += int(s.away().Seconds())
	}
	return r.ours.requests.Total <= most
}

func (r results) report(s schedule, ours, theirs *harness.Meter) {
	for meter, side := range map[*harness.Meter]result{ours: r.ours, theirs: r.theirs} {
		meter.ReportIn("s", "median", side.median.Seconds())
		meter.ReportIn("s", "last", side.last.Seconds())
		meter.ReportIn("requests", "requests", float64(side.requests.Total))
		meter.ReportIn("in 1 s", "peak", float64(side.requests.Peak))
		if side.first >= 0 {
			meter.ReportIn("s", "first", side.first.Seconds())
		}
	}
	ours.ReportIn("ms", "list", r.list.Seconds()*1e3)
	if met, required := r.isInTime(s); required {
		ours.ReportIn("1: yes", "time-met", number(met))
	}
	ours.ReportIn("1: yes", "order-met", number(r.isInOrder()))
	ours.ReportIn("1: yes", "count-met", number(r.isFrugal(s)))
}

func number(met bool) float64 {
	if met {
		return 1
	}
	return 0
}
