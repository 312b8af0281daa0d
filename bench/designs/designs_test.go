package designs

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/corpus"
)

var all = map[string]func() Design{
	"trie":      NewTrie,
	"versions":  NewVersions,
	"published": NewPublished,
	"locked":    NewLocked,
}

// content has the objects of a store by key. It is the reference of every design.
type content map[string]*corpus.Object

// index returns the part of the content with a value of an index.
func (c content) index(i int, value string) content {
	part := content{}
	for key, o := range c {
		if valuesOf(o)[i] == value {
			part[key] = o
		}
	}
	return part
}

// some returns a random object with one of few keys and values.
func some(random *rand.Rand) *corpus.Object {
	pick := func(prefix string, n int) string { return prefix + strconv.Itoa(random.IntN(n)) }
	return &corpus.Object{
		ObjectMeta: metav1.ObjectMeta{Namespace: pick("team-", 3), Name: pick("pod-", 40), Labels: map[string]string{"app": pick("app-", 30)}},
		Node:       pick("node-", 5),
	}
}

func somany(random *rand.Rand, most int) []*corpus.Object {
	objects := make([]*corpus.Object, random.IntN(most))
	for i := range objects {
		objects[i] = some(random)
	}
	return objects
}

// change makes a random change to the design and to its reference.
func change(d Design, reference content, random *rand.Rand) {
	put := func(objects ...*corpus.Object) {
		for _, o := range objects {
			reference[keyOf(o)] = o
		}
	}
	switch random.IntN(16) {
	case 0:
		objects := somany(random, 200)
		d.Replace(objects)
		clear(reference)
		put(objects...)
	case 1, 2:
		objects := somany(random, 20)
		d.Batch(objects)
		put(objects...)
	case 3, 4, 5, 6, 7:
		o := some(random)
		d.Delete(o)
		delete(reference, keyOf(o))
	case 8, 9:
		o := some(random)
		d.Add(o)
		put(o)
	default:
		o := some(random)
		d.Update(o)
		put(o)
	}
}

// held is an iteration that pauses while the store changes.
type held struct {
	what  string
	want  content
	found content
	next  func() (*corpus.Object, bool)
	stop  func()
}

// hold begins an iteration. Its first step determines its version.
func hold(what string, objects iter.Seq[*corpus.Object], want content) *held {
	h := &held{what: what, want: maps.Clone(want), found: content{}}
	h.next, h.stop = iter.Pull(objects)
	h.step()
	return h
}

func (h *held) step() bool {
	o, ok := h.next()
	if ok {
		h.found[keyOf(o)] = o
	}
	return ok
}

// finish completes the iteration and compares the objects.
func (h *held) finish(t *testing.T) {
	t.Helper()
	defer h.stop()
	for n := 1; h.step(); n++ {
		if n > len(h.want) {
			t.Fatalf("%s: an object is visited twice", h.what)
		}
	}
	if !maps.Equal(h.found, h.want) {
		t.Fatalf("%s: %d objects, want %d, or others", h.what, len(h.found), len(h.want))
	}
}

func compare(t *testing.T, d Design, reference content) {
	t.Helper()
	hold("All", d.All(), reference).finish(t)
	for i, values := range [][2]any{{"team-", 3}, {"node-", 5}, {"app-", 30}} {
		for n := range values[1].(int) + 1 {
			value := fmt.Sprint(values[0], n)
			hold("Find "+value, d.Find(i, value), reference.index(i, value)).finish(t)
		}
	}
	for team := range 3 {
		for pod := range 40 {
			key := fmt.Sprintf("team-%d/pod-%d", team, pod)
			o, ok := d.Get(key)
			if want, wanted := reference[key]; ok != wanted || o != want {
				t.Fatalf("Get %s: %p %v, want %p %v", key, o, ok, want, wanted)
			}
		}
	}
}

func TestEveryDesignEqualsItsReference(t *testing.T) {
	for name, open := range all {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				t.Logf("seed %d", seed)
				random := rand.New(rand.NewPCG(seed, 0))
				d, reference := open(), content{}
				var standing []*held
				for range 300 {
					change(d, reference, random)
					switch random.IntN(4) {
					case 0:
						standing = append(standing, hold("held All", d.All(), reference))
					case 1:
						value := fmt.Sprint("node-", random.IntN(5))
						standing = append(standing, hold("held "+value, d.Find(ByNode, value), reference.index(ByNode, value)))
					}
					if len(standing) > 0 && random.IntN(4) == 0 {
						i := random.IntN(len(standing))
						standing[i].finish(t)
						standing = append(standing[:i], standing[i+1:]...)
					}
					if random.IntN(10) == 0 {
						compare(t, d, reference)
					}
				}
				for _, h := range standing {
					h.finish(t)
				}
				compare(t, d, reference)
			}
		})
	}
}

// Each batch moves all objects to another node. Concurrent readers find all of them at one
// node.
func TestBatchIsAtomicForReaders(t *testing.T) {
	const count = 100
	generation := func(n int) (objects []*corpus.Object) {
		for i := range count {
			o := &corpus.Object{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: strconv.Itoa(i)}, Node: strconv.Itoa(n % 3)}
			objects = append(objects, o)
		}
		return objects
	}
	for name, open := range all {
		t.Run(name, func(t *testing.T) {
			d := open()
			d.Replace(generation(0))
			var ended atomic.Bool
			done := make(chan error)
			go func() {
				defer close(done)
				for !ended.Load() {
					if err := whole(d, count); err != nil {
						done <- err
						return
					}
				}
			}()
			for n := 1; n < 300; n++ {
				d.Batch(generation(n))
				for _, o := range generation(n)[:n%5] {
					d.Update(o)
				}
				runtime.Gosched()
			}
			ended.Store(true)
			for err := range done {
				t.Error(err)
			}
		})
	}
}

func whole(d Design, count int) error {
	nodes, found := map[string]bool{}, 0
	for o := range d.All() {
		nodes[o.Node] = true
		found++
	}
	if found != count || len(nodes) != 1 {
		return fmt.Errorf("All yields %d objects of %d nodes", found, len(nodes))
	}
	for value := range 3 {
		found = 0
		for o := range d.Find(ByNode, strconv.Itoa(value)) {
			if o.Node != strconv.Itoa(value) {
				return fmt.Errorf("an object of node %s is filed under %d", o.Node, value)
			}
			found++
		}
		if found != 0 && found != count {
			return fmt.Errorf("%d objects are at node %d", found, value)
		}
	}
	if _, ok := d.Get("team/7"); !ok {
		return fmt.Errorf("an object that was never deleted is gone")
	}
	return nil
}

// Without readers, versions keeps only the newest states.
func TestVersionsKeepsOnlyNewestStates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	d, reference := NewVersions().(*versions), content{}
	for range 1000 {
		change(d, reference, random)
	}
	o := some(random)
	d.Update(o)
	reference[keyOf(o)] = o
	records := 0
	for i := range d.records.shards {
		for key, r := range d.records.shards[i].values {
			records++
			if st := r.head.Load(); st.object == nil || st.older.Load() != nil {
				t.Errorf("%s: %+v", key, st)
			}
		}
	}
	if records != len(reference) || len(d.graves) != 0 {
		t.Errorf("%d records of %d objects, %d graves", records, len(reference), len(d.graves))
	}
}
