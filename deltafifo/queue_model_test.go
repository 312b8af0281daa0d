package deltafifo

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

var (
	modelSeed  = flag.Uint64("model.seed", 0, "run the model test with this seed only")
	modelSeeds = flag.Int("model.seeds", 200, "how many seeds the model test runs")
)

// model performs the same operations on a queue and on a reference, and keeps any
// number of Pops and PopBatches in progress.
type model struct {
	t *testing.T
	// choose returns a number in [0, n).
	choose    func(n int) int
	q         *DeltaFIFO[testObject]
	reference referenceQueue

	store          mapStore // the store of the consumer of q
	open           []pendingPop
	keys           int
	counter        int
	ids            int
	appliesAll     bool        // the consumer applies every delta
	transformCalls map[int]int // number of calls by object id
	transforms     int
	reported       []string

	// source has the objects of the source, computed without any queue.
	source mapStore
	// lastDelivered has the last delta of each key that the consumer received.
	lastDelivered map[string]Delta[testObject]
}

// pendingPop is a Pop or PopBatch in progress, of the queue and of the reference.
type pendingPop struct {
	delivery  *delivery[testObject]
	reference *referenceDelivery
}

// TestQueueMatchesReference performs random operations on a queue and on a reference, and
// compares them after each one. It covers all guarantees of the package comment.
func TestQueueMatchesReference(t *testing.T) {
	if *modelSeed != 0 {
		runModel(t, *modelSeed, 600)
		return
	}
	seeds := *modelSeeds
	if raceEnabled {
		seeds /= 10
	}
	for seed := range seeds {
		runModel(t, uint64(seed+1), 600)
		if t.Failed() {
			return
		}
	}
}

func runModel(t *testing.T, seed uint64, operations int) {
	defer func() {
		if t.Failed() {
			t.Logf("repeat with: go test ./deltafifo -run TestQueueMatchesReference -model.seed=%d", seed)
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 0))
	m := newModel(t, rng.IntN)
	for range operations {
		m.step()
	}
	m.drain()
}

func newModel(t *testing.T, choose func(n int) int) *model {
	m := &model{t: t, choose: choose, store: mapStore{}, source: mapStore{}, transformCalls: map[int]int{}, lastDelivered: map[string]Delta[testObject]{}}
	m.reference.store = mapStore{}
	m.keys = []int{2, 5, 30}[choose(3)]
	m.appliesAll = choose(5) != 0
	o := Options[testObject]{KeyFunc: objectKey, KnownObjects: m.store, OnError: m.onError}
	if m.reference.noMeta = choose(8) == 0; !m.reference.noMeta {
		o.MetaFunc = objectMeta
	}
	if m.reference.noTransform = choose(6) == 0; !m.reference.noTransform {
		o.Transform = m.transform
	}
	m.q = New(o)
	return m
}

func (m *model) onError(key string, err error) {
	var te *TransformError
	require.ErrorAs(m.t, err, &te)
	require.Equal(m.t, key, te.Key)
	require.ErrorIs(m.t, err, errTransform)
	m.reported = append(m.reported, key)
}

func (m *model) transform(obj testObject) (testObject, bool, error) {
	m.transforms++
	m.transformCalls[obj.id]++
	require.False(m.t, obj.transformed, "%v is a result of the transform", obj)
	require.Equal(m.t, 1, m.transformCalls[obj.id], "%v was transformed twice", obj)
	return obj.transform()
}

func (m *model) step() {
	switch n := m.choose(100); {
	case n < 24:
		m.put()
	case n < 36:
		m.remove()
	case n < 41:
		m.replace()
	case n < 46:
		version := m.version()
		m.q.Bookmark(version)
		m.reference.bookmark(version)
	case n < 48:
		m.requireWrite(m.q.Resync())
		m.reference.resync()
	case n < 62:
		m.begin(false, 0)
	case n < 74:
		m.begin(true, m.choose(6)-1)
	case n < 99:
		if len(m.open) > 0 {
			m.finish(m.choose(len(m.open)))
		}
	case m.choose(8) == 0:
		m.q.Close()
		m.reference.closed = true
	}
	m.check()
}

func (m *model) key() string { return fmt.Sprint("key-", m.choose(m.keys)) }

// version usually returns a new version, and sometimes an old one or none.
func (m *model) version() string {
	switch m.choose(20) {
	case 0:
		return ""
	case 1:
		return fmt.Sprint(m.choose(m.counter + 1))
	}
	m.counter++
	return fmt.Sprint(m.counter)
}

func (m *model) newObject() testObject {
	obj := testObject{key: m.key(), uid: types.UID([]string{"u1", "u1", "u1", "u1", "u1", "u2", "u3", ""}[m.choose(8)]), version: m.version()}
	if m.choose(5) == 0 {
		obj.outcome = outcome(1 + m.choose(3))
	}
	m.ids++
	obj.id = m.ids
	return obj
}

// requireWrite checks the error of a write that did not call the transform.
func (m *model) requireWrite(err error) {
	if m.reference.closed {
		require.ErrorIs(m.t, err, ErrClosed)
		return
	}
	require.NoError(m.t, err)
}

// requireWriteOf checks the error of a write that called the transform with obj,
// and reports whether the transform failed.
func (m *model) requireWriteOf(obj testObject, err error) bool {
	if m.reference.noTransform || obj.outcome < fails {
		m.requireWrite(err)
		return false
	}
	var te *TransformError
	require.ErrorAs(m.t, err, &te)
	require.Equal(m.t, obj.key, te.Key)
	require.ErrorIs(m.t, err, errTransform)
	return true
}

func (m *model) put() {
	obj, kind := m.newObject(), Added
	var err error
	if m.choose(2) == 0 {
		kind, err = Updated, m.q.Update(obj)
	} else {
		err = m.q.Add(obj)
	}
	if !m.requireWriteOf(obj, err) && !m.reference.closed {
		m.recordSource(obj)
	}
	m.reference.addOrUpdate(kind, obj)
}

// recordSource updates the objects of the source with an object that was written.
func (m *model) recordSource(obj testObject) {
	if m.reference.noTransform || obj.outcome == keep {
		m.source[obj.key] = obj
	} else if obj.outcome == drop {
		delete(m.source, obj.key)
	}
}

func (m *model) remove() {
	obj := m.newObject()
	transforms := m.reference.transforms
	m.reference.remove(obj)
	err := m.q.Delete(obj)
	if m.reference.transforms > transforms {
		m.requireWriteOf(obj, err)
	} else {
		m.requireWrite(err)
	}
	if !m.reference.closed {
		delete(m.source, obj.key)
	}
}

// replace writes a list, and performs other operations while the list is read.
func (m *model) replace() {
	list := referenceList{unchanged: map[string]testObject{}}
	version, broken := m.version(), m.choose(6) == 0
	listed := map[string]testObject{}
	items := func(yield func(testObject, error) bool) {
		for range m.choose(m.keys + 2) {
			obj := m.newObject()
			if known, ok := m.reference.known(obj.key); ok && m.choose(2) == 0 {
				obj.uid, obj.version = known.uid, known.version
			}
			m.reference.addItem(&list, obj)
			listed[obj.key] = obj
			if known, unchanged := list.unchanged[obj.key]; unchanged {
				known.outcome = keep
				listed[obj.key] = known
			}
			if !yield(obj, nil) {
				return
			}
			for m.choose(4) == 3 {
				m.stepDuringReplace()
			}
		}
		if broken {
			yield(testObject{}, io.ErrUnexpectedEOF)
		}
	}
	closed := m.reference.closed
	err := m.q.Replace(items, versionFunc(version))
	if broken && !closed {
		require.ErrorIs(m.t, err, io.ErrUnexpectedEOF)
		return
	}
	m.requireWrite(err)
	if m.reference.closed {
		return
	}
	m.reference.enqueueList(&list, version)
	for key := range m.source {
		if _, listed := listed[key]; !listed {
			delete(m.source, key)
		}
	}
	for _, obj := range listed {
		m.recordSource(obj)
	}
}

// stepDuringReplace performs an operation while a Replace reads its list.
func (m *model) stepDuringReplace() {
	switch m.choose(8) {
	case 0, 1:
		m.put()
	case 2:
		m.remove()
	case 3:
		m.begin(m.choose(2) == 0, m.choose(4))
	case 4, 5:
		if len(m.open) > 0 {
			m.finish(m.choose(len(m.open)))
		}
	case 6:
		if m.choose(5) == 0 {
			m.replace()
		}
	default:
		m.requireWrite(m.q.Resync())
		m.reference.resync()
	}
	m.check()
}

// begin is the first half of a Pop or PopBatch. It reports whether there was
// something to deliver.
func (m *model) begin(batch bool, max int) bool {
	d := m.q.tryBegin(batch, max)
	var p *referenceDelivery
	switch {
	case !batch:
		p = m.reference.beginPop()
	case max <= 0:
		p = m.reference.beginBatch(-1)
	default:
		p = m.reference.beginBatch(max)
	}
	if p == nil {
		require.Nil(m.t, d)
		m.checkDrained()
		return false
	}
	require.NotNil(m.t, d, "%+v", p)
	require.Equal(m.t, p.deltas, append([]Delta[testObject](nil), d.processArg()...))
	batchInfo := d.batchInfo
	if !batch {
		batchInfo = Batch{InInitialList: batchInfo.InInitialList}
		p.batchInfo.Markers = nil
	}
	batchInfo.Markers = append([]Marker(nil), batchInfo.Markers...)
	require.Equal(m.t, p.batchInfo, batchInfo)
	if m.appliesAll {
		m.checkSequence(p.deltas)
	}
	m.open = append(m.open, pendingPop{d, p})
	return true
}

// checkDrained checks that Pop and PopBatch return ErrClosed if the queue is closed
// and empty.
func (m *model) checkDrained() {
	if !m.reference.closed || m.reference.queuedEntries() > 0 {
		return
	}
	require.ErrorIs(m.t, m.q.Pop(context.Background(), func(string, Deltas[testObject], bool) error { panic("called process on an empty queue") }), ErrClosed)
	require.ErrorIs(m.t, m.q.PopBatch(context.Background(), 0, func([]Delta[testObject], Batch) error { panic("called process on an empty queue") }), ErrClosed)
}

// checkSequence checks that the deltas of each key may follow those that were
// delivered before.
func (m *model) checkSequence(deltas []Delta[testObject]) {
	for _, d := range deltas {
		last, seen := m.lastDelivered[d.Key]
		exists := seen && last.Type != Deleted
		switch {
		case d.Type == Deleted:
			require.True(m.t, exists, "%v: the key did not exist", d)
			require.True(m.t, !d.FinalStateUnknown || d.Object == last.Object, "%v does not have the last state, %v", d, last)
		case d.Type == Sync:
			require.True(m.t, exists && d.Object == last.Object, "%v after %v", d, last)
		default:
			require.Equal(m.t, !m.reference.noTransform, d.Object.transformed)
			require.False(m.t, exists && m.reference.differentUID(d.Object, last.Object), "%v after %v", d, last)
		}
		m.lastDelivered[d.Key] = d
	}
}

func (m *model) finish(i int) {
	o := m.open[i]
	m.open = slices.Delete(m.open, i, i+1)
	apply := m.appliesAll || m.choose(3) != 0
	if apply {
		m.store.apply(o.delivery.deltas)
	}
	o.delivery.failed = !apply
	m.q.finish(o.delivery)
	m.reference.finish(o.reference, apply)
}

// drain processes everything queued, and checks that the consumer's store then has
// the objects of the source.
func (m *model) drain() {
	for m.begin(m.choose(2) == 0, 0) || len(m.open) > 0 {
		if len(m.open) > 0 {
			m.finish(m.choose(len(m.open)))
		}
		m.check()
	}
	for m.begin(true, 0) { // markers that no Pop has consumed
		m.finish(0)
	}
	m.check()
	require.Empty(m.t, m.reference.list)
	require.Equal(m.t, m.reference.store, m.store)
	require.Equal(m.t, m.reference.newest, m.q.Version())
	if m.appliesAll {
		require.Equal(m.t, slices.Sorted(maps.Keys(m.source)), slices.Sorted(maps.Keys(m.store)))
	}
	require.Zero(m.t, m.q.keys.states)
	require.Empty(m.t, m.q.processing)
}

// check compares the queue with the reference, and with the source.
func (m *model) check() {
	if m.q.Version() != m.reference.watermark || m.q.HasSynced() != m.reference.synced || m.q.Len() != m.reference.length() {
		require.Equal(m.t, m.reference.watermark, m.q.Version(), "Version")
		require.Equal(m.t, m.reference.synced, m.q.HasSynced(), "HasSynced")
		require.Equal(m.t, m.reference.length(), m.q.Len(), "Len")
	}
	require.Equal(m.t, m.reference.transforms, m.transforms, "number of calls of the transform")
	if !slices.Equal(m.reference.reported, m.reported) {
		require.Equal(m.t, m.reference.reported, m.reported)
	}
	m.q.mu.Lock()
	defer m.q.mu.Unlock()
	for i := range m.keys {
		key := fmt.Sprint("key-", i)
		slot := m.q.keys.find(key)
		obj, ok := m.q.knownAt(&slot)
		want, wantOK := m.reference.known(key)
		if ok != wantOK || ok && obj != want {
			require.Fail(m.t, "wrong known state", "%s: %v %v, want %v %v", key, obj, ok, want, wantOK)
		}
		if source, exists := m.source[key]; m.appliesAll && (ok != exists || ok && !m.sameState(obj, source)) {
			require.Fail(m.t, "known state differs from the source", "%s: %v %v, want %v %v", key, obj, ok, source, exists)
		}
	}
	m.checkFirstFree()
}

// sameState reports whether a and b are the same state of an object: a queue may
// deliver either of two objects with the same UID and version. The tests produce
// such pairs, because they repeat versions.
func (m *model) sameState(a, b testObject) bool {
	return a.id == b.id || !m.reference.noMeta && a.uid != "" && a.version != "" && a.uid == b.uid && a.version == b.version
}

// checkFirstFree checks that every delta before log.firstFree has a key in progress.
func (m *model) checkFirstFree() {
	for n := m.q.log.head; n != nil && n != m.q.log.firstFree; n = n.next {
		require.True(m.t, n.state == nil || n.state.inProgress != nil, "log.firstFree is behind a delta whose key is not in progress")
	}
}
