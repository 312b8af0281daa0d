package main

import (
	"sync"
	"time"
)

// maxRecords is the number of records that are kept.
const maxRecords = 20_000

// recorder numbers and keeps the newest records. It is safe for concurrent use.
type recorder struct {
	start time.Time
	// touched has an element if a record was added since it was last received.
	touched chan struct{}

	mu    sync.Mutex
	ring  ring
	tally tally
	// more is closed when a record is added; nil if nothing waits for one.
	more chan struct{}
}

func newRecorder(capacity int) *recorder {
	return &recorder{
		start: time.Now(), touched: make(chan struct{}, 1),
		ring: newRing(capacity), tally: newTally(),
	}
}

// add records that something has happened.
func (r *recorder) add(record Record) {
	r.addStates(record)
	select {
	case r.touched <- struct{}{}:
	default:
	}
}

// addStates adds records that result from others, and from which no further ones
// follow.
func (r *recorder) addStates(records ...Record) {
	if len(records) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, record := range records {
		record.T = time.Since(r.start).Milliseconds()
		r.tally.apply(&record)
		r.ring.add(record)
	}
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

// after returns up to limit records after number n, oldest first, and the number of the
// newest. ok is false if the first of them is not kept.
func (r *recorder) after(n uint64, limit int) (records []Record, newest uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	records, ok = r.ring.after(n, limit)
	return records, r.ring.newest(), ok
}

// added returns a channel that is closed when there is a record after number n.
func (r *recorder) added(n uint64) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ring.newest() > n {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	if r.more == nil {
		r.more = make(chan struct{})
	}
	return r.more
}

// counted returns a copy of what has been counted up to record n.
func (r *recorder) counted() (counted tally, n uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tally.clone(), r.ring.newest()
}

// A ring keeps the newest records, numbered from 1.
type ring struct {
	records []Record
	// next is the number of the next record.
	next uint64
}

func newRing(capacity int) ring { return ring{records: make([]Record, 0, capacity), next: 1} }

func (r *ring) newest() uint64 { return r.next - 1 }

// oldest is the number of the oldest kept record, next if there is none.
func (r *ring) oldest() uint64 { return r.next - uint64(len(r.records)) }

func (r *ring) add(record Record) {
	record.N = r.next
	r.next++
	if len(r.records) < cap(r.records) {
		r.records = append(r.records, record)
		return
	}
	r.records[r.place(record.N)] = record
}

// place returns the index of record n.
func (r *ring) place(n uint64) int { return int((n - 1) % uint64(cap(r.records))) }

// after returns up to limit records after number n, oldest first. ok is false if the
// first of them is not kept.
func (r *ring) after(n uint64, limit int) (found []Record, ok bool) {
	if n > r.newest() || n+1 < r.oldest() {
		return nil, false
	}
	count := min(r.newest()-n, uint64(limit))
	found = make([]Record, 0, count)
	for i := range count {
		found = append(found, r.records[r.place(n+1+i)])
	}
	return found, true
}

// kept returns the numbers of the newest and the oldest kept record.
func (r *recorder) kept() (newest, oldest uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ring.newest(), r.ring.oldest()
}
