package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// complaints is a MutationGuard that remembers.
type complaints struct {
	mu   sync.Mutex
	said []string
}

func (c *complaints) report(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var mutation *MutationError
	if !errors.As(err, &mutation) {
		c.said = append(c.said, err.Error())
		return
	}
	c.said = append(c.said, mutation.Key+" "+mutation.Field)
}

func (c *complaints) take() (said []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	said, c.said = c.said, nil
	return said
}

// meddle changes an object where the guard does not look at it meanwhile: here
// the race detector is not to find out first.
func meddle(inf *SharedInformer[*crate], change func()) {
	inf.shared.guard.mu.Lock()
	defer inf.shared.guard.mu.Unlock()
	change()
}

// aLook is long enough for the guard to have looked.
const aLook = guardInterval * 3 / 2

func aCrate(name, version string) *crate {
	c := fullCrate()
	c.Name, c.ResourceVersion, c.UID = name, version, types.UID(name)
	return c
}

// guardedInformer runs an informer of two crates with a guard.
func guardedInformer(t *testing.T) (inf *SharedInformer[*crate], tell func(listwatch.Event[*crate]), said *complaints, stop func()) {
	events := make(chan listwatch.Event[*crate])
	source := &listwatch.ListWatch[*crate]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*crate], error) {
			return rest.ListOf("2", aCrate("a", "1"), aCrate("b", "2")), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*crate], error) {
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*crate], error) {
				select {
				case event := <-events:
					return event, nil
				case <-ctx.Done():
					return listwatch.Event[*crate]{}, ctx.Err()
				}
			}, nil), nil
		},
	}
	said = &complaints{}
	inf = New(source, Options[*crate]{Name: "crates", PreferList: true, MutationGuard: said.report})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- inf.Run(ctx) }()
	require.NoError(t, inf.WaitForSync(ctx))
	return inf, func(e listwatch.Event[*crate]) { events <- e; synctest.Wait() }, said, func() { cancel(); <-ended }
}

// Promise: whoever changes a cached object is found out within a second, once
// for each change, with key and field and no value.
func TestGuardFindsWhoChangesACachedObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf, _, said, stop := guardedInformer(t)
		defer stop()
		b, _ := inf.Get("b")
		time.Sleep(3 * time.Second)
		require.Empty(t, said.take(), "nobody has changed anything")

		meddle(inf, func() { b.Labels["app"] = "hunter2" })
		time.Sleep(aLook)
		require.Equal(t, []string{"b metadata.labels[app]"}, said.take())
		time.Sleep(3 * time.Second)
		require.Empty(t, said.take(), "it is told once")
		meddle(inf, func() { b.Spec.Parts[0].Image = "hunter2" })
		time.Sleep(aLook)
		require.Equal(t, []string{"b spec.parts[0].image"}, said.take())
	})
}

// Promise: a change is found when the object leaves the store, and that of a
// handler which is told of it a little later.
func TestGuardLooksAtWhatLeavesTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf, tell, said, stop := guardedInformer(t)
		defer stop()
		a, _ := inf.Get("a")
		b, _ := inf.Get("b")
		meddle(inf, func() { a.Spec.Bytes[0], b.Spec.Bytes[1] = 0, 0 })
		tell(listwatch.Event[*crate]{Type: watch.Modified, Object: aCrate("a", "3"), ResourceVersion: "3"})
		require.Equal(t, []string{"a spec.bytes[0]"}, said.take(), "replaced")
		tell(listwatch.Event[*crate]{Type: watch.Deleted, Object: aCrate("b", "4"), ResourceVersion: "4"})
		require.Equal(t, []string{"b spec.bytes[1]"}, said.take(), "deleted")

		meddle(inf, func() { a.Spec.Bytes[2] = 0 })
		time.Sleep(aLook)
		require.Equal(t, []string{"a spec.bytes[2]"}, said.take(), "a slow handler has it still")
		time.Sleep(2 * guardMemory)
		meddle(inf, func() { b.Spec.Bytes[2] = 0 })
		time.Sleep(aLook)
		require.Empty(t, said.take(), "it is let go of in the end")
		meddle(inf, func() { require.Empty(t, inf.shared.guard.left) })
	})
}

// Promise: the last look is when nobody is to touch the objects any more.
func TestGuardLooksWhenRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf, _, said, stop := guardedInformer(t)
		_, err := inf.AddEventHandler(ResourceEventHandlerFuncs[*crate]{
			AddFunc: func(c *crate, _ bool) {
				if c.Name == "a" {
					c.Spec.Replicas = nil
				}
			},
		}, HandlerOptions{})
		require.NoError(t, err)
		synctest.Wait()
		require.Empty(t, said.take(), "a second has not passed")
		stop()
		require.Equal(t, []string{"a spec.replicas"}, said.take())
		require.Empty(t, inf.shared.guard.all(), "it holds no objects when there is nothing more to find")
	})
}

func TestMutationErrorNamesTheInformer(t *testing.T) {
	err := &MutationError{Informer: "crates", Key: "ns/a", Field: "spec.parts"}
	require.Equal(t, "informer crates: the cached object ns/a was changed at spec.parts: objects are shared, and a Clone is what may be changed", err.Error())
}

// Promise: it costs nothing when it is off.
func TestGuardThatIsOffAllocatesNothing(t *testing.T) {
	g := newGuard[*crate]("", nil)
	require.Nil(t, g)
	changes := []indexer.Change[*crate]{{Key: "a", Object: aCrate("a", "1")}, {Key: "b", Delete: true}}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		g.storing(changes)
	}))
}

func BenchmarkGuard(b *testing.B) {
	for _, c := range []struct {
		name   string
		report func(error)
	}{{"off", nil}, {"on", func(err error) { b.Error(err) }}} {
		b.Run(c.name, func(b *testing.B) {
			g := newGuard[*crate]("", c.report)
			tree := aCrate("a", "1")
			tree.Spec.Self = nil
			changes := []indexer.Change[*crate]{{Object: tree}}
			keys := make([]string, 1000)
			for i := range keys {
				keys[i] = fmt.Sprint(i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				changes[0].Key = keys[i%len(keys)]
				g.storing(changes)
				if g != nil {
					g.left = g.left[:0]
				}
			}
		})
	}
}

// Promise: a Snapshot says whether and where an object is not as it was, of any
// type, and keeps the object itself.
func TestSnapshotKnowsWhetherAnObjectIsAsItWas(t *testing.T) {
	obj := aCrate("a", "1")
	obj.Labels = map[string]string{"app": "shop"}
	typed, untyped := TakeSnapshot(obj), TakeSnapshot(any(obj))
	if typed.Object() != obj || untyped.Object() != any(obj) {
		t.Error("a snapshot is to have the object, not a copy")
	}
	if field, changed := typed.Changed(); changed {
		t.Errorf("changed at %q, and nobody has changed it", field)
	}
	obj.Labels["app"] = "other"
	for _, changed := range []func() (string, bool){typed.Changed, untyped.Changed} {
		if field, changed := changed(); !changed || field != "metadata.labels[app]" {
			t.Errorf("changed %v at %q; want metadata.labels[app]", changed, field)
		}
	}
}
