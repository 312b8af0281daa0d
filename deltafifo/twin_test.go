package deltafifo

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// twin is the queue in plain slices: one list of all that has arrived and is
// not processed, and every question answered by looking through it.
type twin struct {
	metaless, plain bool // no MetaFunc, no Transform
	store           shelf
	list            []*entry
	opened          []*popped // what is in process, in the order of handing out
	arrived         int
	newest          string // the version that came last
	watermark       string
	firstEnd        int
	synced          bool
	closed          bool
	transforms      int      // how often the transform has been asked
	reported        []string // the keys that OnError must have heard of
}

type entry struct {
	arrived int
	delta   Delta[thing]
	marker  MarkerKind // 0: a delta
	brings  string     // the version reached when all up to here is processed
	relist  bool
	with    *popped // who processes it
	done    bool    // processed, but something older is not
}

// popped is one Pop or PopBatch: what it was handed.
type popped struct {
	batch   bool
	entries []*entry
	deltas  []Delta[thing]
	about   Batch
}

func (e *entry) queued() bool { return e.with == nil && !e.done }

func (w *twin) meta(th thing) (types.UID, string) {
	if w.metaless {
		return "", ""
	}
	return thingMeta(th)
}

func (w *twin) transform(th thing) (thing, bool, error) {
	if w.plain {
		return th, true, nil
	}
	w.transforms++
	if th.verdict == blow {
		return thing{}, false, errTransform
	}
	return th.judged()
}

// known is the last state of a key.
func (w *twin) known(key string) (thing, bool) {
	for _, e := range slices.Backward(w.list) {
		if e.marker == 0 && !e.done && e.delta.Key == key {
			return e.delta.Object, e.delta.Type != Deleted
		}
	}
	return w.store.Get(key)
}

// knownKeys lists the keys that are known: the store's, then those being
// processed, then those in the queue.
func (w *twin) knownKeys() (keys []string) {
	add := func(key string) {
		if _, ok := w.known(key); ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for key := range w.store.Keys() {
		add(key)
	}
	for _, p := range w.opened {
		for _, d := range p.deltas {
			add(d.Key)
		}
	}
	for _, e := range w.list {
		if e.marker == 0 && e.queued() {
			add(e.delta.Key)
		}
	}
	return keys
}

func (w *twin) otherUID(a, b thing) bool {
	uidA, _ := w.meta(a)
	uidB, _ := w.meta(b)
	return uidA != "" && uidB != "" && uidA != uidB
}

func (w *twin) file(kind DeltaType, key string, th thing, unknown, relist bool) *entry {
	w.arrived++
	e := &entry{arrived: w.arrived, relist: relist, delta: Delta[thing]{Type: kind, Object: th, Key: key, FinalStateUnknown: unknown}}
	w.list = append(w.list, e)
	return e
}

func (w *twin) reach(version string) {
	if version != "" {
		w.newest = version
		w.list[len(w.list)-1].brings = version
	}
}

func (w *twin) bookmark(version string) {
	if w.closed || version == "" || version == w.newest {
		return
	}
	w.newest = version
	if n := len(w.list); n > 0 && w.list[n-1].marker == Bookmark && w.list[n-1].queued() {
		w.list[n-1].brings = version
		return
	}
	w.file(0, "", thing{}, false, false).marker = Bookmark
	w.reach(version)
}

func (w *twin) put(kind DeltaType, th thing) {
	_, version := w.meta(th)
	known, ok := w.known(th.key)
	other := ok && w.otherUID(known, th)
	out, wanted, err := w.transform(th)
	switch {
	case w.closed:
	case err != nil:
		w.bookmark(version)
	case wanted && other:
		w.file(Deleted, th.key, known, true, false)
		w.file(Added, th.key, out, false, false)
		w.reach(version)
	case wanted:
		w.file(kind, th.key, out, false, false)
		w.reach(version)
	case ok:
		w.file(Deleted, th.key, known, other, false)
		w.reach(version)
	default:
		w.bookmark(version)
	}
}

func (w *twin) remove(th thing) {
	if w.closed {
		return
	}
	_, version := w.meta(th)
	var last *entry
	for _, e := range w.list {
		if e.marker == 0 && e.queued() && e.delta.Key == th.key {
			last = e
		}
	}
	tombstone := last != nil && last.delta.Type == Deleted && last.delta.FinalStateUnknown
	known, ok := w.known(th.key)
	if !ok && !tombstone {
		w.bookmark(version)
		return
	}
	other := w.otherUID(known, th)
	final := known
	if !other {
		if out, wanted, err := w.transform(th); err == nil && wanted {
			final = out
		}
	}
	if tombstone {
		if !other {
			last.delta.Object, last.delta.FinalStateUnknown = final, false
		}
		w.bookmark(version)
		return
	}
	w.file(Deleted, th.key, final, other, false)
	w.reach(version)
}

// twinList is a Replace under way.
type twinList struct {
	read []twinItem
	kept map[string]thing // what unchanged items stand for
}

type twinItem struct {
	in, out        thing
	wanted, failed bool
}

func (w *twin) readItem(l *twinList, th thing) {
	l.read = slices.DeleteFunc(l.read, func(it twinItem) bool { return it.in.key == th.key })
	delete(l.kept, th.key)
	uid, version := w.meta(th)
	if known, ok := w.known(th.key); ok {
		if knownUID, knownVersion := w.meta(known); uid != "" && version != "" && uid == knownUID && version == knownVersion {
			l.kept[th.key] = known
			return
		}
	}
	out, wanted, err := w.transform(th)
	if err != nil {
		w.reported = append(w.reported, th.key)
	}
	l.read = append(l.read, twinItem{in: th, out: out, wanted: wanted, failed: err != nil})
}

// endList files the list. What was taken for unchanged may have changed since.
func (w *twin) endList(l *twinList, version string) {
	if w.closed {
		return
	}
	missing := w.knownKeys()
	listed := func(key string) bool {
		_, kept := l.kept[key]
		return kept || slices.ContainsFunc(l.read, func(it twinItem) bool { return it.in.key == key })
	}
	missing = slices.DeleteFunc(missing, listed)
	for _, key := range slices.Sorted(maps.Keys(l.kept)) {
		th := l.kept[key]
		if known, ok := w.known(key); !ok || known.uid != th.uid || known.version != th.version {
			l.read = append(l.read, twinItem{in: th, out: th, wanted: true})
		}
	}
	for _, it := range l.read {
		known, ok := w.known(it.in.key)
		other := ok && w.otherUID(known, it.in)
		switch {
		case it.failed:
		case it.wanted && other:
			w.file(Deleted, it.in.key, known, true, true)
			w.file(Added, it.in.key, it.out, false, true)
		case it.wanted:
			w.file(Replaced, it.in.key, it.out, false, true)
		case ok:
			w.file(Deleted, it.in.key, known, other, true)
		}
	}
	for _, key := range missing {
		known, _ := w.known(key)
		w.file(Deleted, key, known, true, true)
	}
	end := w.file(0, "", thing{}, false, true)
	end.marker = ReplaceEnd
	end.delta.Object.version = version
	w.reach(version)
	if w.firstEnd == 0 {
		w.firstEnd = w.arrived
	}
}

func (w *twin) resync() {
	if w.closed {
		return
	}
	for _, key := range w.knownKeys() {
		if !slices.ContainsFunc(w.list, func(e *entry) bool { return e.marker == 0 && e.queued() && e.delta.Key == key }) {
			known, _ := w.known(key)
			w.file(Sync, key, known, false, false)
		}
	}
}

func (w *twin) busy(key string) bool {
	return slices.ContainsFunc(w.list, func(e *entry) bool { return e.with != nil && e.marker == 0 && e.delta.Key == key })
}

func (w *twin) beginPop() *popped {
	w.passMarkers()
	p := &popped{}
	for _, e := range w.list {
		if e.marker != 0 || !e.queued() {
			continue
		}
		if len(p.entries) == 0 && !w.busy(e.delta.Key) || len(p.entries) > 0 && e.delta.Key == p.entries[0].delta.Key {
			p.entries = append(p.entries, e)
		}
	}
	return w.open(p)
}

func (w *twin) beginBatch(max int) *popped {
	p := &popped{batch: true}
	prefix := slices.DeleteFunc(slices.Clone(w.list), func(e *entry) bool { return !e.queued() })
	if len(prefix) > 0 && prefix[0].relist {
		n := 1 + slices.IndexFunc(prefix, func(e *entry) bool { return e.marker == ReplaceEnd })
		for _, o := range w.list {
			if o.with != nil && o.arrived < prefix[n-1].arrived {
				return nil
			}
		}
		p.entries, p.about.Replace = prefix[:n], true
		return w.open(p)
	}
	deltas := 0
	for i, e := range prefix {
		if e.relist || e.marker == 0 && (deltas == max || w.busy(e.delta.Key)) {
			break
		}
		if e.marker != 0 && slices.ContainsFunc(w.list, func(o *entry) bool { return o.with != nil && o.arrived < e.arrived }) {
			break
		}
		if e.marker == 0 {
			deltas++
		}
		p.entries = prefix[:i+1]
	}
	return w.open(p)
}

func (w *twin) open(p *popped) *popped {
	if len(p.entries) == 0 {
		return nil
	}
	first := p.entries[0].arrived
	p.about.InInitialList = w.firstEnd == 0 || first <= w.firstEnd
	for _, e := range p.entries {
		e.with = p
		if e.marker == 0 {
			p.deltas = append(p.deltas, e.delta)
			continue
		}
		version := e.brings
		if e.marker == ReplaceEnd {
			version = e.delta.Object.version
		}
		p.about.Markers = append(p.about.Markers, Marker{Kind: e.marker, Version: version, After: len(p.deltas)})
	}
	if p.batch {
		p.about.Version = w.watermark
		for _, e := range w.list {
			if !e.done && (e.with == nil || e.with.entries[0].arrived > first) {
				break
			}
			if e.brings != "" {
				p.about.Version = e.brings
			}
		}
	}
	w.opened = append(w.opened, p)
	return p
}

func (w *twin) finish(p *popped, apply bool) {
	w.opened = slices.DeleteFunc(w.opened, func(o *popped) bool { return o == p })
	for _, e := range p.entries {
		w.process(e)
	}
	if apply {
		w.store.apply(p.deltas)
	}
	w.settle()
	if !p.batch {
		w.passMarkers()
	}
}

func (w *twin) process(e *entry) {
	e.with, e.done = nil, true
	if e.arrived == w.firstEnd {
		w.synced = true
	}
}

func (w *twin) passMarkers() {
	for len(w.list) > 0 && w.list[0].marker != 0 && w.list[0].queued() {
		w.process(w.list[0])
		w.settle()
	}
}

// settle forgets what is processed up to the first that is not.
func (w *twin) settle() {
	for len(w.list) > 0 && w.list[0].done {
		if w.list[0].brings != "" {
			w.watermark = w.list[0].brings
		}
		w.list = w.list[1:]
	}
}

func (w *twin) queuedEntries() (n int) {
	for _, e := range w.list {
		if e.queued() {
			n++
		}
	}
	return n
}

func (w *twin) length() (n int) {
	for _, e := range w.list {
		if e.queued() && e.marker == 0 {
			n++
		}
	}
	return n
}
