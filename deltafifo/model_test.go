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

// model drives a queue and its twin with the same operations, and holds any
// number of Pops and PopBatches open.
type model struct {
	t    *testing.T
	n    func(int) int // a choice below
	q    *DeltaFIFO[thing]
	twin twin

	store      shelf // what the consumer of q has applied
	open       []opened
	keys       int
	counter    int
	ids        int
	faithful   bool // the consumer applies all that it is handed
	asked      map[int]int
	transforms int
	reported   []string

	// truth is what the source has said, computed without any queue. last is
	// what the consumer was handed of each key.
	truth shelf
	last  map[string]Delta[thing]
}

type opened struct {
	real *handout[thing]
	twin *popped
}

// Contract: all of it, against the dumb twin.
func TestModel(t *testing.T) {
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
			t.Logf("repeat with: go test ./deltafifo -run TestModel -model.seed=%d", seed)
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 0))
	m := newModel(t, rng.IntN)
	for range operations {
		m.step()
	}
	m.drain()
}

func newModel(t *testing.T, n func(int) int) *model {
	m := &model{t: t, n: n, store: shelf{}, truth: shelf{}, asked: map[int]int{}, last: map[string]Delta[thing]{}}
	m.twin.store = shelf{}
	m.keys = []int{2, 5, 30}[n(3)]
	m.faithful = n(5) != 0
	o := Options[thing]{KeyFunc: thingKey, KnownObjects: m.store, OnError: m.onError}
	if m.twin.metaless = n(8) == 0; !m.twin.metaless {
		o.MetaFunc = thingMeta
	}
	if m.twin.plain = n(6) == 0; !m.twin.plain {
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

func (m *model) transform(th thing) (thing, bool, error) {
	m.transforms++
	m.asked[th.id]++
	require.False(m.t, th.transformed, "%v has been through the transform", th)
	require.Equal(m.t, 1, m.asked[th.id], "%v was transformed again", th)
	return th.judged()
}

func (m *model) step() {
	switch n := m.n(100); {
	case n < 24:
		m.put()
	case n < 36:
		m.remove()
	case n < 41:
		m.replace()
	case n < 46:
		version := m.version()
		m.q.Bookmark(version)
		m.twin.bookmark(version)
	case n < 48:
		m.writes(m.q.Resync())
		m.twin.resync()
	case n < 62:
		m.begin(false, 0)
	case n < 74:
		m.begin(true, m.n(6)-1)
	case n < 99:
		if len(m.open) > 0 {
			m.finish(m.n(len(m.open)))
		}
	case m.n(8) == 0:
		m.q.Close()
		m.twin.closed = true
	}
	m.check()
}

func (m *model) key() string { return fmt.Sprint("key-", m.n(m.keys)) }

// version makes one that is newer than all before, now and then an old one,
// or none.
func (m *model) version() string {
	switch m.n(20) {
	case 0:
		return ""
	case 1:
		return fmt.Sprint(m.n(m.counter + 1))
	}
	m.counter++
	return fmt.Sprint(m.counter)
}

func (m *model) thing() thing {
	th := thing{key: m.key(), uid: types.UID([]string{"u1", "u1", "u1", "u1", "u1", "u2", "u3", ""}[m.n(8)]), version: m.version()}
	if m.n(5) == 0 {
		th.verdict = verdict(1 + m.n(3))
	}
	m.ids++
	th.id = m.ids
	return th
}

// writes expects what a write returns when nothing else is wrong.
func (m *model) writes(err error) {
	if m.twin.closed {
		require.ErrorIs(m.t, err, ErrClosed)
		return
	}
	require.NoError(m.t, err)
}

// failed expects what a write returns that has asked the transform, and reports
// whether that failed.
func (m *model) failed(th thing, err error) bool {
	if m.twin.plain || th.verdict < fail {
		m.writes(err)
		return false
	}
	var te *TransformError
	require.ErrorAs(m.t, err, &te)
	require.Equal(m.t, th.key, te.Key)
	require.ErrorIs(m.t, err, errTransform)
	return true
}

func (m *model) put() {
	th, kind := m.thing(), Added
	var err error
	if m.n(2) == 0 {
		kind, err = Updated, m.q.Update(th)
	} else {
		err = m.q.Add(th)
	}
	if !m.failed(th, err) && !m.twin.closed {
		m.tell(th)
	}
	m.twin.put(kind, th)
}

// tell notes in truth what the source said of an object.
func (m *model) tell(th thing) {
	if m.twin.plain || th.verdict == keep {
		m.truth[th.key] = th
	} else if th.verdict == drop {
		delete(m.truth, th.key)
	}
}

func (m *model) remove() {
	th := m.thing()
	transforms := m.twin.transforms
	m.twin.remove(th)
	err := m.q.Delete(th)
	if m.twin.transforms > transforms {
		m.failed(th, err)
	} else {
		m.writes(err)
	}
	if !m.twin.closed {
		delete(m.truth, th.key)
	}
}

// replace writes a list, and whatever else while it is being read.
func (m *model) replace() {
	list := twinList{kept: map[string]thing{}}
	version, broken := m.version(), m.n(6) == 0
	told := map[string]thing{}
	items := func(yield func(thing, error) bool) {
		for range m.n(m.keys + 2) {
			th := m.thing()
			if known, ok := m.twin.known(th.key); ok && m.n(2) == 0 {
				th.uid, th.version = known.uid, known.version
			}
			m.twin.readItem(&list, th)
			told[th.key] = th
			if known, unchanged := list.kept[th.key]; unchanged {
				known.verdict = keep
				told[th.key] = known
			}
			if !yield(th, nil) {
				return
			}
			for m.n(4) == 3 {
				m.meanwhile()
			}
		}
		if broken {
			yield(thing{}, io.ErrUnexpectedEOF)
		}
	}
	closed := m.twin.closed
	err := m.q.Replace(items, at(version))
	if broken && !closed {
		require.ErrorIs(m.t, err, io.ErrUnexpectedEOF)
		return
	}
	m.writes(err)
	if m.twin.closed {
		return
	}
	m.twin.endList(&list, version)
	for key := range m.truth {
		if _, listed := told[key]; !listed {
			delete(m.truth, key)
		}
	}
	for _, th := range told {
		m.tell(th)
	}
}

func (m *model) meanwhile() {
	switch m.n(8) {
	case 0, 1:
		m.put()
	case 2:
		m.remove()
	case 3:
		m.begin(m.n(2) == 0, m.n(4))
	case 4, 5:
		if len(m.open) > 0 {
			m.finish(m.n(len(m.open)))
		}
	case 6:
		if m.n(5) == 0 {
			m.replace()
		}
	default:
		m.writes(m.q.Resync())
		m.twin.resync()
	}
	m.check()
}

// begin is the first half of a Pop or a PopBatch.
func (m *model) begin(batch bool, max int) bool {
	h := m.q.tryBegin(batch, max)
	var p *popped
	switch {
	case !batch:
		p = m.twin.beginPop()
	case max <= 0:
		p = m.twin.beginBatch(-1)
	default:
		p = m.twin.beginBatch(max)
	}
	if p == nil {
		require.Nil(m.t, h)
		m.ended()
		return false
	}
	require.NotNil(m.t, h, "%+v", p)
	require.Equal(m.t, p.deltas, append([]Delta[thing](nil), h.handed()...))
	about := h.about
	if !batch {
		about = Batch{InInitialList: about.InInitialList}
		p.about.Markers = nil
	}
	about.Markers = append([]Marker(nil), about.Markers...)
	require.Equal(m.t, p.about, about)
	if m.faithful {
		m.legal(p.deltas)
	}
	m.open = append(m.open, opened{h, p})
	return true
}

// ended: a closed queue from which all has been handed out says so.
func (m *model) ended() {
	if !m.twin.closed || m.twin.queuedEntries() > 0 {
		return
	}
	require.ErrorIs(m.t, m.q.Pop(context.Background(), func(string, Deltas[thing], bool) error { panic("handed out") }), ErrClosed)
	require.ErrorIs(m.t, m.q.PopBatch(context.Background(), 0, func([]Delta[thing], Batch) error { panic("handed out") }), ErrClosed)
}

// legal holds what a consumer sees of each key against what it saw before.
func (m *model) legal(deltas []Delta[thing]) {
	for _, d := range deltas {
		last, seen := m.last[d.Key]
		there := seen && last.Type != Deleted
		switch {
		case d.Type == Deleted:
			require.True(m.t, there, "%v is deleted and was not there", d)
			require.True(m.t, !d.FinalStateUnknown || d.Object == last.Object, "%v is not the last state, %v", d, last)
		case d.Type == Sync:
			require.True(m.t, there && d.Object == last.Object, "%v after %v", d, last)
		default:
			require.Equal(m.t, !m.twin.plain, d.Object.transformed)
			require.False(m.t, there && m.twin.otherUID(d.Object, last.Object), "%v after %v", d, last)
		}
		m.last[d.Key] = d
	}
}

func (m *model) finish(i int) {
	o := m.open[i]
	m.open = slices.Delete(m.open, i, i+1)
	apply := m.faithful || m.n(3) != 0
	if apply {
		m.store.apply(o.real.deltas)
	}
	o.real.failed = !apply
	m.q.finish(o.real)
	m.twin.finish(o.twin, apply)
}

// drain pops until nothing is left: nothing is lost, and the consumer has what
// the source said.
func (m *model) drain() {
	for m.begin(m.n(2) == 0, 0) || len(m.open) > 0 {
		if len(m.open) > 0 {
			m.finish(m.n(len(m.open)))
		}
		m.check()
	}
	for m.begin(true, 0) { // markers that no Pop has been there for
		m.finish(0)
	}
	m.check()
	require.Empty(m.t, m.twin.list)
	require.Equal(m.t, m.twin.store, m.store)
	require.Equal(m.t, m.twin.newest, m.q.Version())
	if m.faithful {
		require.Equal(m.t, slices.Sorted(maps.Keys(m.truth)), slices.Sorted(maps.Keys(m.store)))
	}
	require.Zero(m.t, m.q.keys.states)
	require.Empty(m.t, m.q.open)
}

// check compares everything that can be asked.
func (m *model) check() {
	if m.q.Version() != m.twin.watermark || m.q.HasSynced() != m.twin.synced || m.q.Len() != m.twin.length() {
		require.Equal(m.t, m.twin.watermark, m.q.Version(), "the version")
		require.Equal(m.t, m.twin.synced, m.q.HasSynced(), "synced")
		require.Equal(m.t, m.twin.length(), m.q.Len(), "the length")
	}
	require.Equal(m.t, m.twin.transforms, m.transforms, "the calls of the transform")
	if !slices.Equal(m.twin.reported, m.reported) {
		require.Equal(m.t, m.twin.reported, m.reported)
	}
	m.q.mu.Lock()
	defer m.q.mu.Unlock()
	for i := range m.keys {
		key := fmt.Sprint("key-", i)
		at := m.q.keys.find(key)
		th, ok := m.q.knownAt(&at)
		want, wantOK := m.twin.known(key)
		if ok != wantOK || ok && th != want {
			require.Fail(m.t, "another known state", "%s: %v %v, want %v %v", key, th, ok, want, wantOK)
		}
		if truth, there := m.truth[key]; m.faithful && (ok != there || ok && !m.sameState(th, truth)) {
			require.Fail(m.t, "not what the source said", "%s: %v %v, want %v %v", key, th, ok, truth, there)
		}
	}
	m.checkFree()
}

// sameState: of two objects with the same UID and version a queue may take
// either. The source of the tests makes such pairs, by repeating versions.
func (m *model) sameState(a, b thing) bool {
	return a.id == b.id || !m.twin.metaless && a.uid != "" && a.version != "" && a.uid == b.uid && a.version == b.version
}

// checkFree: no delta before log.free is of a key that is free.
func (m *model) checkFree() {
	for n := m.q.log.head; n != nil && n != m.q.log.free; n = n.next {
		require.True(m.t, n.state == nil || n.state.working != nil, "a free key before the place to look for it")
	}
}
