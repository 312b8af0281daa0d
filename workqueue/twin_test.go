package workqueue

import (
	"cmp"
	"slices"
	"time"
)

// twin is the queue as anybody would write it who need not care for speed:
// slices, maps and sorting. The model test holds the real ones against it.
type twin struct {
	now   time.Duration
	age   time.Duration // 0: no ageing
	line  []place
	turn  int // Gets since one for age
	work  map[int]bool
	again map[int]place
	later map[int]place // at: the end of the delay
	rank  map[int]int   // of every key in line, in work or delayed
	fails map[int]int   // by key
	seq   int           // numbers every change of place
	shut  bool
	drain bool
}

type place struct {
	key, rank    int
	at           time.Duration // when it was added
	seq, arrival int
}

func newTwin(age time.Duration) *twin {
	return &twin{
		age: age, work: map[int]bool{}, again: map[int]place{},
		later: map[int]place{}, rank: map[int]int{}, fails: map[int]int{},
	}
}

func (t *twin) next() int { t.seq++; return t.seq }

func (t *twin) inLine(key int) int {
	return slices.IndexFunc(t.line, func(p place) bool { return p.key == key })
}

func (t *twin) push(p place) {
	p.seq = t.next()
	p.arrival = p.seq
	t.rank[p.key] = p.rank
	t.line = append(t.line, p)
}

func (t *twin) add(key, rank int) {
	_, known := t.again[key]
	_, delayed := t.later[key]
	i := t.inLine(key)
	switch {
	case t.shut:
	case i >= 0:
		if rank > t.line[i].rank {
			t.line[i].rank, t.line[i].seq = rank, t.next()
			t.rank[key] = rank
		}
	case known:
		p := t.again[key]
		p.rank = max(p.rank, rank)
		t.again[key] = p
	case t.work[key]:
		t.again[key] = place{key: key, rank: rank, at: t.now}
	case delayed:
		t.push(place{key: key, rank: max(rank, t.rank[key]), at: t.now})
	default:
		t.push(place{key: key, rank: rank, at: t.now})
	}
}

func (t *twin) addAfter(key int, d time.Duration) {
	old, delayed := t.later[key]
	switch {
	case t.shut:
	case d <= 0:
		t.add(key, t.rank[key])
	case !delayed || t.now+d < old.at:
		t.later[key] = place{key: key, at: t.now + d, seq: t.next()}
		t.rank[key] += 0 // now it has one
	}
}

func (t *twin) addRateLimited(key int) {
	n := t.fails[key]
	t.fails[key]++
	t.addAfter(key, min(time.Millisecond<<n, 64*time.Millisecond))
}

// get may be called when the line is not empty.
func (t *twin) get() int {
	best := slices.MinFunc(t.line, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.seq, b.seq))
	})
	oldest := slices.MinFunc(t.line, func(a, b place) int { return cmp.Compare(a.arrival, b.arrival) })
	if t.turn++; t.age > 0 && t.turn >= 4 && t.now-oldest.at >= t.age {
		t.turn, best = 0, oldest
	}
	t.line = slices.DeleteFunc(t.line, func(p place) bool { return p.key == best.key })
	t.work[best.key] = true
	return best.key
}

func (t *twin) done(key int) {
	if !t.work[key] {
		return
	}
	delete(t.work, key)
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

// advance moves the time, and calls each after every instant at which
// something was due.
func (t *twin) advance(d time.Duration, each func()) {
	end := t.now + d
	for len(t.later) > 0 {
		var due []place
		for _, p := range t.later {
			due = append(due, p)
		}
		slices.SortFunc(due, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
		})
		if due[0].at > end {
			break
		}
		t.now = due[0].at
		for _, p := range due {
			if p.at == t.now {
				rank := t.rank[p.key]
				delete(t.later, p.key)
				if t.inLine(p.key) < 0 && !t.work[p.key] {
					delete(t.rank, p.key)
				}
				t.add(p.key, rank)
			}
		}
		each()
	}
	t.now = end
}

func (t *twin) shutDown(drain bool) {
	t.shut = true
	t.drain = drain && (t.drain || !t.idle())
	for key := range t.later {
		delete(t.later, key)
		if t.inLine(key) < 0 && !t.work[key] {
			delete(t.rank, key)
		}
	}
}

func (t *twin) idle() bool { return len(t.line) == 0 && len(t.work) == 0 }

// sendsHome reports whether a Get on the empty line returns.
func (t *twin) sendsHome() bool {
	return len(t.line) == 0 && t.shut && (!t.drain || len(t.again) == 0)
}
