package recovery

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/bench/outage"
)

const (
	// recoveryTimeout is the maximum time for which an informer is awaited, after its start
	// and after the last outage.
	recoveryTimeout = 90 * time.Second
	// settling is the time between the initial state and the first outage.
	settling = 2 * time.Second
	// past is the number of writes of each collection before the first outage. A
	// restored server loses half of them.
	past = 20
)

// run is one run of a schedule.
type run struct {
	schedule
	server      *apitest.Server
	collections []collection
	ours        *follower
	theirs      *follower
	written     int // the number of the latest write
}

// run runs the schedule with both libraries.
func (s schedule) run() results {
	all := collectionsOf(s.sources, s.informers)
	r := &run{schedule: s, collections: all, server: apitest.NewServer(apitest.Options{PlainHTTP: true, Resources: custom(all)})}
	defer r.server.Close()
	fill(r.server, all)
	list := listTime(r.server, all[0])
	r.ours = openOurs(s.sources, all, must(outage.New(r.server.URL)))
	defer r.ours.stop()
	r.theirs = openTheirs(s.sources, all, must(outage.New(r.server.URL)))
	defer r.theirs.stop()

	r.waitForInitialState()
	began := time.Now()
	ended := r.runOutages()
	ours, theirs := r.await(ended)
	time.Sleep(time.Second) // requests that follow on the recovery count too
	return r.resultsOf(began, ended, ours, theirs, list)
}

// followers returns the followers of both libraries.
func (r *run) followers() []*follower { return []*follower{r.ours, r.theirs} }

// write writes a new number into the markers of all collections. The informers must
// receive it next.
func (r *run) write() {
	r.written++
	mark(r.server, r.collections, r.written)
}

// waitForInitialState waits until all informers are current.
func (r *run) waitForInitialState() {
	for range past {
		r.write()
	}
	now := time.Now()
	ours, theirs := r.await(now)
	for _, at := range slices.Concat(ours, theirs) {
		if !at.Before(now.Add(recoveryTimeout)) {
			panic(fmt.Sprintf("%s: an informer is not current %v after its start", r.name, recoveryTimeout))
		}
	}
	time.Sleep(settling)
}

// runOutages runs the outages and returns the time from which recovery is measured: mostly
// the end of the last outage.
func (r *run) runOutages() (ended time.Time) {
	switch {
	case r.middlebox:
		return r.limitConnections()
	case r.fromTheCut():
		return r.cut()
	}
	for i := range r.outages() {
		if i > 0 {
			time.Sleep(pause)
		}
		for _, f := range r.followers() {
			f.proxy.Begin(r.fault)
		}
		time.Sleep(r.lasts)
		r.changeServer()
		r.write()
		ended = time.Now()
		for _, f := range r.followers() {
			check(f.proxy.End())
		}
	}
	return ended
}

// changeServer makes the changes of the schedule to the server during an outage.
func (r *run) changeServer() {
	if r.expired {
		r.write() // so that the versions of the informers are not the newest one
		r.server.Compact()
	}
	if r.restored {
		r.server.RestartFromBackup(uint64(past * len(r.collections) / 2))
	}
}

// limitConnections makes the proxies close connections early, and returns the time of a later
// write.
func (r *run) limitConnections() time.Time {
	for _, f := range r.followers() {
		random := rand.New(rand.NewPCG(1, 2)) // the same times for both
		f.proxy.LimitConnections(func() time.Duration { return time.Second + time.Duration(random.Int64N(int64(2*time.Second))) })
	}
	time.Sleep(r.lasts)
	ended := time.Now()
	r.write()
	return ended
}

// cut begins an outage that ends by itself, makes the write that must be received, and
// returns the time of the write.
func (r *run) cut() time.Time {
	for _, f := range r.followers() {
		f.proxy.Begin(r.fault)
		time.AfterFunc(r.lasts, func() { _ = f.proxy.End() }) // it still listens, so this cannot fail
	}
	ended := time.Now()
	r.write()
	return ended
}

// await returns the times at which the informers of both sides became current. For an
// informer that did not, it is recoveryTimeout after the given time.
func (r *run) await(ended time.Time) (ours, theirs []time.Time) {
	current := [2][]time.Time{make([]time.Time, r.informers), make([]time.Time, r.informers)}
	late := 2 * r.informers
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for deadline := ended.Add(recoveryTimeout); late > 0 && time.Now().Before(deadline); <-look.C {
		for side, f := range r.followers() {
			for i, at := range current[side] {
				if at.IsZero() && f.isCurrent(i, r.written) {
					current[side][i] = time.Now()
					late--
				}
			}
		}
	}
	for _, times := range current {
		for i, at := range times {
			if at.IsZero() {
				times[i] = ended.Add(recoveryTimeout)
			}
		}
	}
	return current[0], current[1]
}

// resultsOf computes the results.
func (r *run) resultsOf(began, ended time.Time, ours, theirs []time.Time, list time.Duration) results {
	var firstAnswer, announced time.Time
	side := [2]result{{first: -1}, {first: -1}}
	now := time.Now()
	for i, f := range r.followers() {
		if at, answered := f.proxy.FirstAnswer(ended); answered {
			side[i].first = at.Sub(ended)
			if firstAnswer.IsZero() || at.Before(firstAnswer) {
				firstAnswer = at
			}
		}
		if at := f.proxy.LastAnnounced(); at.After(announced) {
			announced = at
		}
		side[i].requests = f.proxy.Requests(began, now)
	}
	if r.middlebox || r.fromTheCut() {
		firstAnswer = ended // the server was always reachable
	}
	from := zero(ended, firstAnswer, announced, slices.Concat(ours, theirs))
	side[0].median, side[0].last = halfAndAll(ours, from)
	side[1].median, side[1].last = halfAndAll(theirs, from)
	return results{ours: side[0], theirs: side[1], list: list}
}
