package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// outage is one row: a kill and the records of both programs.
type outage struct {
	up           time.Duration // how long the server had run
	accepted     time.Time     // when the server accepted the beat
	next         time.Time     // the end of the measurement
	ours, theirs record
}

// starts returns the time at which the clock of the row starts.
func (o *outage) starts() time.Time {
	first := o.ours.answered
	if t := o.theirs.answered; first.IsZero() || !t.IsZero() && t.Before(first) {
		first = t
	}
	if first.Before(o.accepted) {
		return o.accepted
	}
	return first
}

// recovery has the figures of one program. If informers are not current before the next
// kill, the time is that until the end of the measurement, and InTime is false.
type recovery struct {
	median, last             time.Duration
	medianInTime, lastInTime bool
	reads, peak              int
}

func (o *outage) recovery(m *record) (r recovery) {
	start, had := o.starts(), o.next.Sub(o.starts())
	took := make([]time.Duration, len(m.current))
	end := time.Time{}
	for i, at := range m.current {
		if at.IsZero() {
			took[i], at = had+1, o.next
		} else {
			took[i] = max(0, at.Sub(start))
		}
		if at.After(end) {
			end = at
		}
	}
	slices.Sort(took)
	median, last := took[(len(took)-1)/2], took[len(took)-1]
	r.median, r.medianInTime = min(median, had), median <= had
	r.last, r.lastInTime = min(last, had), last <= had
	counted := m.reads
	if i := slices.IndexFunc(counted, func(at time.Time) bool { return at.After(end) }); i >= 0 {
		counted = counted[:i]
	}
	r.reads = len(counted)
	for i, at := range counted {
		n, _ := slices.BinarySearchFunc(counted, at.Add(time.Second), time.Time.Compare)
		r.peak = max(r.peak, n-i)
	}
	return r
}

// table prints a row for each outage, and a summary.
type table struct {
	out          io.Writer
	ours, theirs []recovery
}

const rowFormat = "%4v %7v %7v | %9v %9v %6v %5v | %9v %9v %6v %5v\n"

func newTable(out io.Writer) *table {
	fmt.Fprintf(out, "%22s %-32s | %s\n", "|", "ours", "client-go")
	fmt.Fprintf(out, rowFormat, "kill", "up", "away", "median", "last", "reads", "peak", "median", "last", "reads", "peak")
	return &table{out: out}
}

func (t *table) add(o *outage) {
	ours, theirs := o.recovery(&o.ours), o.recovery(&o.theirs)
	t.ours, t.theirs = append(t.ours, ours), append(t.theirs, theirs)
	fmt.Fprintf(t.out, rowFormat, len(t.ours), seconds(o.up), seconds(o.starts().Sub(o.ours.began)),
		timed(ours.median, ours.medianInTime), timed(ours.last, ours.lastInTime), ours.reads, ours.peak,
		timed(theirs.median, theirs.medianInTime), timed(theirs.last, theirs.lastInTime), theirs.reads, theirs.peak)
}

// end prints the summary.
func (t *table) end() {
	if len(t.ours) == 0 {
		return
	}
	for _, line := range []struct {
		name string
		of   func([]recovery) summary
	}{
		{"half", func(all []recovery) summary { return sumUp(all, func(n int) int { return (n - 1) / 2 }) }},
		{"worst", func(all []recovery) summary { return sumUp(all, func(n int) int { return n - 1 }) }},
	} {
		a, b := line.of(t.ours), line.of(t.theirs)
		fmt.Fprintf(t.out, rowFormat, line.name, "", "", a.median, a.last, a.reads, a.peak, b.median, b.last, b.reads, b.peak)
	}
	fmt.Fprintf(t.out, "not current before the next kill: ours %d times, client-go %d times, of %d\n", unfinished(t.ours), unfinished(t.theirs), len(t.ours))
}

// summary has the figures of one program over all rows.
type summary struct {
	median, last string
	reads, peak  int
}

// sumUp picks one of the sorted values, for each column separately.
func sumUp(all []recovery, pick func(n int) int) summary {
	at := pick(len(all))
	return summary{
		median: pickTime(all, at, func(r recovery) (time.Duration, bool) { return r.median, r.medianInTime }),
		last:   pickTime(all, at, func(r recovery) (time.Duration, bool) { return r.last, r.lastInTime }),
		reads:  pickCount(all, at, func(r recovery) int { return r.reads }),
		peak:   pickCount(all, at, func(r recovery) int { return r.peak }),
	}
}

func pickTime(all []recovery, at int, of func(recovery) (time.Duration, bool)) string {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b recovery) int {
		x, _ := of(a)
		y, _ := of(b)
		return cmp.Compare(x, y)
	})
	return timed(of(sorted[at]))
}

func pickCount(all []recovery, at int, of func(recovery) int) int {
	counts := make([]int, len(all))
	for i, r := range all {
		counts[i] = of(r)
	}
	slices.Sort(counts)
	return counts[at]
}

func unfinished(all []recovery) (n int) {
	for _, r := range all {
		if !r.lastInTime {
			n++
		}
	}
	return n
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

func timed(d time.Duration, inTime bool) string {
	text := fmt.Sprintf("%.2fs", d.Seconds())
	if !inTime {
		return "> " + text
	}
	return text
}
