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

type (
	// guardedPod is the object of these tests.
	guardedPod struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              guardedPodSpec `json:"spec,omitempty"`
	}
	guardedPodSpec struct {
		Replicas   *int32 `json:"replicas"`
		Containers []struct {
			Image string `json:"image"`
		} `json:"containers"`
		Bytes []byte `json:"bytes"`
	}
)

func newGuardedPod(name, version string) *guardedPod {
	p := &guardedPod{ObjectMeta: metav1.ObjectMeta{
		Name: name, ResourceVersion: version, UID: types.UID(name), Labels: map[string]string{"app": "web"},
	}}
	p.Spec.Replicas = new(int32)
	p.Spec.Containers = append(p.Spec.Containers, struct {
		Image string `json:"image"`
	}{"one"})
	p.Spec.Bytes = []byte("abc")
	return p
}

// mutationRecorder is a MutationGuard that records key and field of its errors.
type mutationRecorder struct {
	mu        sync.Mutex
	mutations []string
}

func (r *mutationRecorder) report(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var mutation *MutationError
	if !errors.As(err, &mutation) {
		r.mutations = append(r.mutations, err.Error())
		return
	}
	r.mutations = append(r.mutations, mutation.Key+" "+mutation.Field)
}

// take returns the recorded mutations and forgets them.
func (r *mutationRecorder) take() (mutations []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	mutations, r.mutations = r.mutations, nil
	return mutations
}

// modify calls change while the guard does not read the object, so that the race
// detector does not report the test.
func modify(inf *SharedInformer[*guardedPod], change func()) {
	inf.shared.guard.mu.Lock()
	defer inf.shared.guard.mu.Unlock()
	change()
}

// untilNextCheck is longer than the interval of the guard.
const untilNextCheck = guardInterval * 3 / 2

// guardedInformer runs an informer of two pods with a guard. send sends an event of
// the source.
func guardedInformer(t *testing.T) (inf *SharedInformer[*guardedPod], send func(listwatch.Event[*guardedPod]), mutations *mutationRecorder, stop func()) {
	events := make(chan listwatch.Event[*guardedPod])
	source := &listwatch.ListWatch[*guardedPod]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*guardedPod], error) {
			return rest.ListOf("2", newGuardedPod("a", "1"), newGuardedPod("b", "2")), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*guardedPod], error) {
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*guardedPod], error) {
				select {
				case event := <-events:
					return event, nil
				case <-ctx.Done():
					return listwatch.Event[*guardedPod]{}, ctx.Err()
				}
			}, nil), nil
		},
	}
	mutations = &mutationRecorder{}
	inf = New(source, Options[*guardedPod]{Name: "pods", PreferList: true, MutationGuard: mutations.report})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- inf.Run(ctx) }()
	require.NoError(t, inf.WaitForSync(ctx))
	return inf, func(e listwatch.Event[*guardedPod]) { events <- e; synctest.Wait() }, mutations, func() { cancel(); <-ended }
}

// Promise: a modification of a cached object is reported within a second, once, with
// key and field and without values.
func TestGuardReportsModifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf, _, mutations, stop := guardedInformer(t)
		defer stop()
		b, _ := inf.Get("b")
		time.Sleep(3 * time.Second)
		require.Empty(t, mutations.take(), "no object was modified")

		modify(inf, func() { b.Labels["app"] = "hunter2" })
		time.Sleep(untilNextCheck)
		require.Equal(t, []string{"b metadata.labels[app]"}, mutations.take())
		time.Sleep(3 * time.Second)
		require.Empty(t, mutations.take(), "a modification is reported once")
		modify(inf, func() { b.Spec.Containers[0].Image = "hunter2" })
		time.Sleep(untilNextCheck)
		require.Equal(t, []string{"b spec.containers[0].image"}, mutations.take())
	})
}

// Promise: a modification is found when the object leaves the store, and also one by a
// handler that is notified of it shortly after.
func TestGuardChecksRemovedObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf, send, mutations, stop := guardedInformer(t)
		defer stop()
		a, _ := inf.Get("a")
		b, _ := inf.Get("b")
		modify(inf, func() { a.Spec.Bytes[0], b.Spec.Bytes[1] = 0, 0 })
		send(listwatch.Event[*guardedPod]{Type: watch.Modified, Object: newGuardedPod("a", "3"), ResourceVersion: "3"})
		require.Equal(t, []string{"a spec.bytes[0]"}, mutations.take(), "checked when the object is replaced")
		send(listwatch.Event[*guardedPod]{Type: watch.Deleted, Object: newGuardedPod("b", "4"), ResourceVersion: "4"})
		require.Equal(t, []string{"b spec.bytes[1]"}, mutations.take(), "checked when the object is deleted")

		modify(inf, func() { a.Spec.Bytes[2] = 0 })
		time.Sleep(untilNextCheck)
		require.Equal(t, []string{"a spec.bytes[2]"}, mutations.take(), "checked for some time after the object has left the store")
		time.Sleep(2 * guardRetention)
		modify(inf, func() { b.Spec.Bytes[2] = 0 })
		time.Sleep(untilNextCheck)
		require.Empty(t, mutations.take(), "the guard drops removed objects")
		modify(inf, func() { require.Empty(t, inf.shared.guard.removed) })
	})
}

// Promise: the last check is at the end of Run.
func TestGuardChecksAtEndOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf, _, mutations, stop := guardedInformer(t)
		_, err := inf.AddEventHandler(ResourceEventHandlerFuncs[*guardedPod]{
			AddFunc: func(p *guardedPod, _ bool) {
				if p.Name == "a" {
					p.Spec.Replicas = nil
				}
			},
		}, HandlerOptions{})
		require.NoError(t, err)
		synctest.Wait()
		require.Empty(t, mutations.take(), "the guard has not checked yet")
		stop()
		require.Equal(t, []string{"a spec.replicas"}, mutations.take())
		require.Empty(t, inf.shared.guard.all(), "the guard holds no objects after Run")
	})
}

func TestMutationErrorNamesTheInformer(t *testing.T) {
	err := &MutationError{Informer: "pods", Key: "ns/a", Field: "spec.parts"}
	require.Equal(t, "informer pods: cached object ns/a was modified at spec.parts: objects are shared; modify a Clone instead", err.Error())
}

// Promise: a disabled guard has no cost.
func TestDisabledGuardDoesNotAllocate(t *testing.T) {
	g := newGuard[*guardedPod]("", nil)
	require.Nil(t, g)
	changes := []indexer.Change[*guardedPod]{{Key: "a", Object: newGuardedPod("a", "1")}, {Key: "b", Delete: true}}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		g.beforeStore(changes)
	}))
}

func BenchmarkGuard(b *testing.B) {
	for _, c := range []struct {
		name   string
		report func(error)
	}{{"off", nil}, {"on", func(err error) { b.Error(err) }}} {
		b.Run(c.name, func(b *testing.B) {
			g := newGuard[*guardedPod]("", c.report)
			changes := []indexer.Change[*guardedPod]{{Object: newGuardedPod("a", "1")}}
			keys := make([]string, 1000)
			for i := range keys {
				keys[i] = fmt.Sprint(i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				changes[0].Key = keys[i%len(keys)]
				g.beforeStore(changes)
				if g != nil {
					g.removed = g.removed[:0]
				}
			}
		})
	}
}
