package deltafifo

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// referenceQueue is a simple implementation of the queue: one slice of all
// unprocessed entries, and every method searches the whole slice.
type referenceQueue struct {
	noMeta, noTransform bool // the queue has no MetaFunc, no Transform
	store               mapStore
	list                []*entry
	inProgress          []*referenceDelivery // in the order of delivery
	lastSeq             int
	newest              string // the newest version that has arrived
	watermark           string
	firstReplaceEnd     int
	synced              bool
	closed              bool
	transforms          int      // number of calls of the transform
	reported            []string // the keys that OnError must receive
}

type entry struct {
	seq       int
	delta     Delta[testObject]
	marker    MarkerKind         // 0: a delta
	version   string             // the watermark when everything up to this entry has been processed
	relist    bool               // part of a Replace
	final     *testObject        // the final state that arrived after a Deleted without one
	delivery  *referenceDelivery // the Pop or PopBatch that processes it, nil if none
	processed bool               // it stays in the list until all older entries are processed
}

// referenceDelivery is the argument of one Pop or PopBatch.
type referenceDelivery struct {
	batch     bool
	entries   []*entry
	deltas    []Delta[testObject]
	batchInfo Batch
}

func (e *entry) queued() bool { return e.delivery == nil && !e.processed }

func (r *referenceQueue) meta(obj testObject) (types.UID, string) {
	if r.noMeta {
		return "", ""
	}
	return objectMeta(obj)
}

func (r *referenceQueue) transform(obj testObject) (testObject, bool, error) {
	if r.noTransform {
		return obj, true, nil
	}
	r.transforms++
	if obj.outcome == panics {
		return testObject{}, false, errTransform
	}
	return obj.transform()
}

// known returns the last known state of a key.
func (r *referenceQueue) known(key string) (testObject, bool) {
	for _, e := range slices.Backward(r.list) {
		if e.marker == 0 && !e.processed && e.delta.Key == key {
			return e.delta.Object, e.delta.Type != Deleted
		}
	}
	return r.store.Get(key)
}

// knownKeys returns the known keys: first those of the store, then those in
// progress, then the queued ones.
func (r *referenceQueue) knownKeys() (keys []string) {
	add := func(key string) {
		if _, ok := r.known(key); ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for key := range r.store.Keys() {
		add(key)
	}
	for _, p := range r.inProgress {
		for _, d := range p.deltas {
			add(d.Key)
		}
	}
	for _, e := range r.list {
		if e.marker == 0 && e.queued() {
			add(e.delta.Key)
		}
	}
	return keys
}

func (r *referenceQueue) differentUID(a, b testObject) bool {
	uidA, _ := r.meta(a)
	uidB, _ := r.meta(b)
	return uidA != "" && uidB != "" && uidA != uidB
}

func (r *referenceQueue) enqueue(kind DeltaType, key string, obj testObject, unknown, relist bool) *entry {
	r.lastSeq++
	e := &entry{seq: r.lastSeq, relist: relist, delta: Delta[testObject]{Type: kind, Object: obj, Key: key, FinalStateUnknown: unknown}}
	r.list = append(r.list, e)
	return e
}

func (r *referenceQueue) setNewestVersion(version string) {
	if version != "" {
		r.newest = version
		r.list[len(r.list)-1].version = version
	}
}

func (r *referenceQueue) bookmark(version string) {
	if r.closed || version == "" || version == r.newest {
		return
	}
	r.newest = version
	if n := len(r.list); n > 0 && r.list[n-1].marker == Bookmark && r.list[n-1].queued() {
		r.list[n-1].version = version
		return
	}
	r.enqueue(0, "", testObject{}, false, false).marker = Bookmark
	r.setNewestVersion(version)
}

func (r *referenceQueue) addOrUpdate(kind DeltaType, obj testObject) {
	_, version := r.meta(obj)
	known, ok := r.known(obj.key)
	uidChanged := ok && r.differentUID(known, obj)
	out, wanted, err := r.transform(obj)
	switch {
	case r.closed:
	case err != nil:
		r.bookmark(version)
	case wanted && uidChanged:
		r.enqueue(Deleted, obj.key, known, true, false)
		r.enqueue(Added, obj.key, out, false, false)
		r.setNewestVersion(version)
	case wanted:
		r.enqueue(kind, obj.key, out, false, false)
		r.setNewestVersion(version)
	case ok:
		r.enqueue(Deleted, obj.key, known, uidChanged, false)
		r.setNewestVersion(version)
	default:
		r.bookmark(version)
	}
}

func (r *referenceQueue) remove(obj testObject) {
	if r.closed {
		return
	}
	_, version := r.meta(obj)
	var last *entry
	for _, e := range r.list {
		if e.marker == 0 && e.queued() && e.delta.Key == obj.key {
			last = e
		}
	}
	tombstone := last != nil && last.delta.Type == Deleted && last.delta.FinalStateUnknown && last.final == nil
	known, ok := r.known(obj.key)
	if !ok && !tombstone {
		r.bookmark(version)
		return
	}
	uidChanged := r.differentUID(known, obj)
	final := known
	if !uidChanged {
		if out, wanted, err := r.transform(obj); err == nil && wanted {
			final = out
		}
	}
	if tombstone {
		if !uidChanged {
			last.final = &final
		}
		r.bookmark(version)
		return
	}
	r.enqueue(Deleted, obj.key, final, uidChanged, false)
	r.setNewestVersion(version)
}

// referenceList has the items of a Replace that have been read.
type referenceList struct {
	items     []listItem
	unchanged map[string]testObject // the known objects of unchanged items
}

type listItem struct {
	in, out        testObject
	wanted, failed bool
}

func (r *referenceQueue) addItem(l *referenceList, obj testObject) {
	l.items = slices.DeleteFunc(l.items, func(it listItem) bool { return it.in.key == obj.key })
	delete(l.unchanged, obj.key)
	uid, version := r.meta(obj)
	if known, ok := r.known(obj.key); ok {
		if knownUID, knownVersion := r.meta(known); uid != "" && version != "" && uid == knownUID && version == knownVersion {
			l.unchanged[obj.key] = known
			return
		}
	}
	out, wanted, err := r.transform(obj)
	if err != nil {
		r.reported = append(r.reported, obj.key)
	}
	l.items = append(l.items, listItem{in: obj, out: out, wanted: wanted, failed: err != nil})
}

// enqueueList queues the deltas of the list. An item that was unchanged when it was
// read may have changed since.
func (r *referenceQueue) enqueueList(l *referenceList, version string) {
	if r.closed {
		return
	}
	missing := r.knownKeys()
	listed := func(key string) bool {
		_, unchanged := l.unchanged[key]
		return unchanged || slices.ContainsFunc(l.items, func(it listItem) bool { return it.in.key == key })
	}
	missing = slices.DeleteFunc(missing, listed)
	for _, key := range slices.Sorted(maps.Keys(l.unchanged)) {
		obj := l.unchanged[key]
		if known, ok := r.known(key); !ok || known.uid != obj.uid || known.version != obj.version {
			l.items = append(l.items, listItem{in: obj, out: obj, wanted: true})
		}
	}
	for _, it := range l.items {
		known, ok := r.known(it.in.key)
		uidChanged := ok && r.differentUID(known, it.in)
		switch {
		case it.failed:
		case it.wanted && uidChanged:
			r.enqueue(Deleted, it.in.key, known, true, true)
			r.enqueue(Added, it.in.key, it.out, false, true)
		case it.wanted:
			r.enqueue(Replaced, it.in.key, it.out, false, true)
		case ok:
			r.enqueue(Deleted, it.in.key, known, uidChanged, true)
		}
	}
	for _, key := range missing {
		known, _ := r.known(key)
		r.enqueue(Deleted, key, known, true, true)
	}
	end := r.enqueue(0, "", testObject{}, false, true)
	end.marker = ReplaceEnd
	end.delta.Object.version = version
	r.setNewestVersion(version)
	if r.firstReplaceEnd == 0 {
		r.firstReplaceEnd = r.lastSeq
	}
}

func (r *referenceQueue) resync() {
	if r.closed {
		return
	}
	for _, key := range r.knownKeys() {
		if !slices.ContainsFunc(r.list, func(e *entry) bool { return e.marker == 0 && e.queued() && e.delta.Key == key }) {
			known, _ := r.known(key)
			r.enqueue(Sync, key, known, false, false)
		}
	}
}

func (r *referenceQueue) keyInProgress(key string) bool {
	return slices.ContainsFunc(r.list, func(e *entry) bool { return e.delivery != nil && e.marker == 0 && e.delta.Key == key })
}

func (r *referenceQueue) beginPop() *referenceDelivery {
	r.passMarkers()
	p := &referenceDelivery{}
	for _, e := range r.list {
		if e.marker != 0 || !e.queued() {
			continue
		}
		if len(p.entries) == 0 && !r.keyInProgress(e.delta.Key) || len(p.entries) > 0 && e.delta.Key == p.entries[0].delta.Key {
			p.entries = append(p.entries, e)
		}
	}
	return r.deliver(p)
}

func (r *referenceQueue) beginBatch(max int) *referenceDelivery {
	p := &referenceDelivery{batch: true}
	prefix := slices.DeleteFunc(slices.Clone(r.list), func(e *entry) bool { return !e.queued() })
	if len(prefix) > 0 && prefix[0].relist {
		n := 1 + slices.IndexFunc(prefix, func(e *entry) bool { return e.marker == ReplaceEnd })
		for _, o := range r.list {
			if o.delivery != nil && o.seq < prefix[n-1].seq {
				return nil
			}
		}
		p.entries, p.batchInfo.Replace = prefix[:n], true
		return r.deliver(p)
	}
	deltas := 0
	for i, e := range prefix {
		if e.relist || e.marker == 0 && (deltas == max || r.keyInProgress(e.delta.Key)) {
			break
		}
		if e.marker != 0 && slices.ContainsFunc(r.list, func(o *entry) bool { return o.delivery != nil && o.seq < e.seq }) {
			break
		}
		if e.marker == 0 {
			deltas++
		}
		p.entries = prefix[:i+1]
	}
	return r.deliver(p)
}

func (r *referenceQueue) deliver(p *referenceDelivery) *referenceDelivery {
	if len(p.entries) == 0 {
		return nil
	}
	first := p.entries[0].seq
	p.batchInfo.InInitialList = r.firstReplaceEnd == 0 || first <= r.firstReplaceEnd
	for _, e := range p.entries {
		e.delivery = p
		if e.marker == 0 {
			delta := e.delta
			if e.final != nil && !p.batch {
				delta.Object, delta.FinalStateUnknown = *e.final, false
			}
			p.deltas = append(p.deltas, delta)
			continue
		}
		version := e.version
		if e.marker == ReplaceEnd {
			version = e.delta.Object.version
		}
		p.batchInfo.Markers = append(p.batchInfo.Markers, Marker{Kind: e.marker, Version: version, After: len(p.deltas)})
	}
	if p.batch {
		p.batchInfo.Version = r.watermark
		for _, e := range r.list {
			if !e.processed && (e.delivery == nil || e.delivery.entries[0].seq > first) {
				break
			}
			if e.version != "" {
				p.batchInfo.Version = e.version
			}
		}
	}
	r.inProgress = append(r.inProgress, p)
	return p
}

func (r *referenceQueue) finish(p *referenceDelivery, apply bool) {
	r.inProgress = slices.DeleteFunc(r.inProgress, func(o *referenceDelivery) bool { return o == p })
	for _, e := range p.entries {
		r.markProcessed(e)
	}
	if apply {
		r.store.apply(p.deltas)
	}
	r.removeProcessed()
	if !p.batch {
		r.passMarkers()
	}
}

func (r *referenceQueue) markProcessed(e *entry) {
	e.delivery, e.processed = nil, true
	if e.seq == r.firstReplaceEnd {
		r.synced = true
	}
}

func (r *referenceQueue) passMarkers() {
	for len(r.list) > 0 && r.list[0].marker != 0 && r.list[0].queued() {
		r.markProcessed(r.list[0])
		r.removeProcessed()
	}
}

// removeProcessed removes the processed entries before the first unprocessed one,
// and advances the watermark.
func (r *referenceQueue) removeProcessed() {
	for len(r.list) > 0 && r.list[0].processed {
		if r.list[0].version != "" {
			r.watermark = r.list[0].version
		}
		r.list = r.list[1:]
	}
}

func (r *referenceQueue) queuedEntries() (n int) {
	for _, e := range r.list {
		if e.queued() {
			n++
		}
	}
	return n
}

func (r *referenceQueue) length() (n int) {
	for _, e := range r.list {
		if e.queued() && e.marker == 0 {
			n++
		}
	}
	return n
}
