package operators

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// kinds is a running program with a controller for each kind.
type kinds struct {
	*cluster
	*controller.Program
	factory  *informer.Factory
	client   *rest.Client
	requests *requests
}

func newKinds(c *cluster) *kinds {
	k := &kinds{cluster: c, factory: informer.NewFactory(informer.FactoryOptions{})}
	k.client, k.requests = c.client(string(plane.Admin))
	k.Program = controller.NewProgram(controller.RunOptions{Factory: k.factory, NoSignals: true})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- k.Run(ctx) }()
	c.t.Cleanup(func() {
		cancel()
		require.NoError(c.t, <-ended)
	})
	return k
}

// follower is the controller of a kind.
type follower struct {
	*controller.Controller
	*informer.SharedInformer[*thing]
	history *history[*thing]

	mu   sync.Mutex
	seen map[string]int // the size that the last reconcile of each key has read; -1 without an object
}

// follow adds a controller for a kind to the running program.
func (k *kinds) follow(info rest.ResourceInfo) *follower {
	k.t.Helper()
	f := &follower{history: newHistory[*thing](), seen: map[string]int{}}
	f.SharedInformer = informer.For(k.factory, rest.NewView[*thing](k.client, info), informer.Options[*thing]{})
	_, err := f.AddEventHandler(f.history.handler(), informer.HandlerOptions{})
	require.NoError(k.t, err)
	f.Controller = controller.New(info.Resource+"."+info.Version, controller.Func(func(_ context.Context, r controller.Request) (controller.Result, error) {
		size := -1
		if o, ok := f.SharedInformer.Get(r.String()); ok {
			size = o.Spec.Size
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.seen[r.Name] = size
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(f.Controller, f.SharedInformer)
	require.NoError(k.t, k.Add(f.Controller))
	return f
}

// unfollow removes the controller of a kind.
func (k *kinds) unfollow(f *follower) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), settle)
	defer cancel()
	require.NoError(k.t, k.Remove(ctx, f.Controller))
	f.Release()
}

// reconciled waits until the last reconcile of an object has read a size.
func (k *kinds) reconciled(f *follower, name string, size int) {
	k.t.Helper()
	k.eventually(func(now *assert.CollectT) {
		f.mu.Lock()
		defer f.mu.Unlock()
		require.Equal(now, size, f.seen[name], "%+v", f.SharedInformer.State().Source)
	})
	require.Empty(k.t, f.history.faults())
}

// A controller for each of 20 definitions is added and removed while the program runs. After
// that nothing of them is left running.
func TestControllerPerDefinition(t *testing.T) {
	const number = 20
	c := newCluster(t)
	k := newKinds(c)
	kindOf := func(i int) string { return fmt.Sprint("Thing", i) }
	c.define("First", versions{"v1"})
	first := k.follow(resourceOf("First", "v1"))
	create(c, resourceOf("First", "v1"), newThing("default", "a", 1))
	k.reconciled(first, "a", 1)
	before := runtime.NumGoroutine()

	var all []*follower
	for i := range number {
		c.post(kindOf(i), versions{"v1"})
		all = append(all, k.follow(resourceOf(kindOf(i), "v1")))
	}
	for i, f := range all {
		info := resourceOf(kindOf(i), "v1")
		c.waitServed(info, true)
		create(c, info, newThing("default", "a", i+1))
		k.reconciled(f, "a", i+1)
	}
	during := runtime.NumGoroutine()
	for i, f := range all {
		k.unfollow(f)
		if i%2 == 0 {
			c.remove(definitions, "", definitionName(kindOf(i)))
		}
	}
	c.eventually(func(now *assert.CollectT) {
		require.Equal(now, 1, k.requests.watches("/apis/example.com/"))
		require.LessOrEqual(now, runtime.NumGoroutine(), before+4)
	})
	t.Logf("goroutines: %d with one kind, %d with %d more, %d after they were removed", before, during, number, runtime.NumGoroutine())
	sent := k.requests.count()
	o := newThing("default", "b", 2)
	create(c, resourceOf("First", "v1"), o)
	k.reconciled(first, "b", 2)
	require.Empty(t, k.requests.since(sent), "no request for what was removed")
}

// A definition that is deleted and created again, with another storage version or with
// another version served, is followed: the objects of the old one are deleted, and those of
// the new one arrive.
func TestDefinitionRecreated(t *testing.T) {
	c := newCluster(t)
	k := newKinds(c)
	v1, v2 := resourceOf("Thing", "v1"), resourceOf("Thing", "v2")
	c.define("Thing", versions{"v1"})
	create(c, v1, newThing("default", "a", 1))
	create(c, v1, newThing("default", "old", 1))
	f := k.follow(v1)
	k.reconciled(f, "a", 1)
	k.reconciled(f, "old", 1)

	c.undefine("Thing")
	k.reconciled(f, "a", -1)
	k.reconciled(f, "old", -1)
	c.define("Thing", versions{"v2", "v1"}) // v2 is stored now
	defined := time.Now()
	create(c, v1, newThing("default", "a", 2))
	k.reconciled(f, "a", 2)
	t.Logf("with another storage version: the first object after %v", time.Since(defined).Round(time.Millisecond))

	c.undefine("Thing")
	k.reconciled(f, "a", -1)
	c.define("Thing", versions{"v2"}) // v1 is not served
	g := k.follow(v2)
	create(c, v2, newThing("default", "a", 3))
	k.reconciled(g, "a", 3)
	k.reconciled(f, "a", -1)

	c.undefine("Thing")
	k.reconciled(g, "a", -1)
	k.unfollow(g)
	c.define("Thing", versions{"v1", "v2"})
	create(c, v2, newThing("default", "a", 4))
	create(c, v2, newThing("default", "lost", 4))
	k.reconciled(f, "a", 4)
	k.reconciled(f, "lost", 4)

	// The deletion is not received, because the connection is down.
	k.requests.hold()
	c.undefine("Thing")
	c.define("Thing", versions{"v2", "v1"})
	create(c, v1, newThing("default", "a", 5))
	k.requests.release()
	k.reconciled(f, "a", 5)
	k.reconciled(f, "lost", -1)
	k.reconciled(f, "old", -1)
	t.Logf("requests:\n%s", summary(k.requests.since(0)))
}
