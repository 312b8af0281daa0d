package workqueue

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// referenceQueue is a queue made of slices, maps and sorting. The model test
// compares the queues with it.
type referenceQueue struct {
	now        time.Duration
	age        time.Duration // 0: priorities do not age
	waiting    []modelItem
	turn       int // Gets since the last one that returned an item because of its age
	processing map[int]bool
	again      map[int]modelItem
	later      map[int]modelItem // at: the end of the delay
	rank       map[int]int       // by key, for each waiting, processed or delayed item
	fails      map[int]int       // by key
	seq        int               // incremented for each change of a position
	shut       bool
	drain      bool
}

type modelItem struct {
	key, rank    int
	at           time.Duration // when it was added
	seq, arrival int
}

func newReferenceQueue(age time.Duration) *referenceQueue {
	return &referenceQueue{
		age: age, processing: map[int]bool{}, again: map[int]modelItem{},
		later: map[int]modelItem{}, rank: map[int]int{}, fails: map[int]int{},
	}
}

func (t *referenceQueue) next() int { t.seq++; return t.seq }

func (t *referenceQueue) waitingIndex(key int) int {
	return slices.IndexFunc(t.waiting, func(p modelItem) bool { return p.key == key })
}

func (t *referenceQueue) push(p modelItem) {
	p.seq = t.next()
	p.arrival = p.seq
	t.rank[p.key] = p.rank
	t.waiting = append(t.waiting, p)
}

func (t *referenceQueue) add(key, rank int) {
	_, known := t.again[key]
	_, delayed := t.later[key]
	i := t.waitingIndex(key)
	switch {
	case t.shut:
	case i >= 0:
		if rank > t.waiting[i].rank {
			t.waiting[i].rank, t.waiting[i].seq = rank, t.next()
			t.rank[key] = rank
		}
	case known:
		p := t.again[key]
		p.rank = max(p.rank, rank)
		t.again[key] = p
	case t.processing[key]:
		t.again[key] = modelItem{key: key, rank: rank, at: t.now}
	case delayed:
		t.push(modelItem{key: key, rank: max(rank, t.rank[key]), at: t.now})
	default:
		t.push(modelItem{key: key, rank: rank, at: t.now})
	}
}

func (t *referenceQueue) addAfter(key int, d time.Duration) {
	old, delayed := t.later[key]
	switch {
	case t.shut:
	case d <= 0:
		t.add(key, t.rank[key])
	case !delayed || t.now+d < old.at:
		t.later[key] = modelItem{key: key, at: t.now + d, seq: t.next()}
		t.rank[key] += 0 // now it has one
	}
}

func (t *referenceQueue) addRateLimited(key int) {
	n := t.fails[key]
	t.fails[key]++
	t.addAfter(key, min(time.Millisecond<<n, 64*time.Millisecond))
}

func byRank(a, b modelItem) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.seq, b.seq))
}

func byTime(a, b modelItem) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
}

// get must be called only if items are waiting.
func (t *referenceQueue) get() int {
	best := slices.MinFunc(t.waiting, byRank)
	oldest := slices.MinFunc(t.waiting, func(a, b modelItem) int { return cmp.Compare(a.arrival, b.arrival) })
	if t.turn++; t.age > 0 && t.turn >= 4 && t.now-oldest.at >= t.age {
		t.turn, best = 0, oldest
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(p modelItem) bool { return p.key == best.key })
	t.processing[best.key] = true
	return best.key
}

func (t *referenceQueue) done(key int) {
	if !t.processing[key] {
		return
	}
	delete(t.processing, key)
	_, delayed := t.later[key]
	if p, ok := t.again[key]; ok {
		delete(t.again, key)
		if delayed {
			p.rank = max(p.rank, t.rank[key])
		}
		t.push(p)
	} else if !delayed {
		delete(t.rank, key)
	}
}

// advance advances the time, and calls each whenever items were due.
func (t *referenceQueue) advance(d time.Duration, each func()) {
	end := t.now + d
	for len(t.later) > 0 {
		var due []modelItem
		for _, p := range t.later {
			due = append(due, p)
		}
		slices.SortFunc(due, byTime)
		if due[0].at > end {
			break
		}
		t.now = due[0].at
		for _, p := range due {
			if p.at == t.now {
				rank := t.rank[p.key]
				delete(t.later, p.key)
				if t.waitingIndex(p.key) < 0 && !t.processing[p.key] {
					delete(t.rank, p.key)
				}
				t.add(p.key, rank)
			}
		}
		each()
	}
	t.now = end
}

func (t *referenceQueue) shutDown(drain bool) {
	t.shut = true
	t.drain = drain && (t.drain || !t.idle())
	for key := range t.later {
		delete(t.later, key)
		if t.waitingIndex(key) < 0 && !t.processing[key] {
			delete(t.rank, key)
		}
	}
}

func (t *referenceQueue) idle() bool { return len(t.waiting) == 0 && len(t.processing) == 0 }

// endsWorkers reports whether a Get without waiting items returns shutdown.
func (t *referenceQueue) endsWorkers() bool {
	return len(t.waiting) == 0 && t.shut && (!t.drain || len(t.again) == 0)
}

// snapshot returns all items. start is the time at which now was 0.
func (t *referenceQueue) snapshot(start time.Time) Snapshot[int] {
	s := Snapshot[int]{WaitingCount: len(t.waiting), ProcessingCount: len(t.processing), DirtyCount: len(t.again), DelayedCount: len(t.later)}
	for _, p := range slices.SortedFunc(slices.Values(t.waiting), byRank) {
		s.Waiting = append(s.Waiting, p.key)
	}
	for key := range t.processing {
		_, dirty := t.again[key]
		s.Processing = append(s.Processing, ProcessingItem[int]{key, dirty})
	}
	for _, p := range slices.SortedFunc(maps.Values(t.later), byTime) {
		s.Delayed = append(s.Delayed, DelayedItem[int]{p.key, start.Add(p.at)})
	}
	return s
}
