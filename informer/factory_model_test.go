package informer_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// A factoryModel is a list of the informers of a factory with their users.
type factoryModel struct {
	entries []*modelEntry
	// started: there was a Start, and its context is not done.
	started bool
}

type modelEntry struct {
	name  string
	users int
	phase string // idle, running or ended
}

func (f *factoryModel) request(name string) *modelEntry {
	for _, e := range f.entries {
		if e.name == name && e.phase != "ended" {
			e.users++
			return e
		}
	}
	e := &modelEntry{name, 1, "idle"}
	if f.started {
		e.phase = "running"
	}
	f.entries = append(f.entries, e)
	return e
}

func (f *factoryModel) release(e *modelEntry) {
	if e.users--; e.users == 0 {
		f.entries = slices.DeleteFunc(f.entries, func(other *modelEntry) bool { return other == e })
	}
}

// setPhase sets the phase of all entries in phase from.
func (f *factoryModel) setPhase(from, to string) {
	for _, e := range f.entries {
		if e.phase == from {
			e.phase = to
		}
	}
}

func (f *factoryModel) String() string {
	var lines []string
	for _, e := range f.entries {
		lines = append(lines, fmt.Sprint(e.name, " running:", e.phase == "running"))
	}
	return strings.Join(lines, "\n")
}

// running returns the names of the running informers, sorted.
func (f *factoryModel) running() (watches []string) {
	for _, e := range f.entries {
		if e.phase == "running" {
			watches = append(watches, e.name)
		}
	}
	slices.Sort(watches)
	return watches
}

// countingSource is a source that counts its open watches.
type countingSource struct {
	name string

	mu   sync.Mutex
	open map[string]int // the number of open watches for each name
}

func (c *countingSource) count(name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[name] += n
}

// watches returns the open watches, with duplicates.
func (c *countingSource) watches() (watches []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range c.open {
		watches = append(watches, slices.Repeat([]string{name}, n)...)
	}
	return watches
}

func (c *countingSource) source() *listwatch.ListWatch[*Pod] {
	return &listwatch.ListWatch[*Pod]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*Pod], error) {
			return rest.ListOf("1", &Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", ResourceVersion: "1"}}), nil
		},
		WatchFunc: func(_ context.Context, options metav1.ListOptions) (*listwatch.Watch[*Pod], error) {
			name := sourceName(c.name, options.LabelSelector)
			c.count(name, 1)
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*Pod], error) {
				<-ctx.Done()
				return listwatch.Event[*Pod]{}, ctx.Err()
			}, func() { c.count(name, -1) }), nil
		},
	}
}

func sourceName(source, selector string) string { return source + " -l " + selector }

// TestFactoryMatchesModel makes random calls to a factory and to a model, and compares
// the informers, their states, and the open watches.
func TestFactoryMatchesModel(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				newFactoryRun(t, rand.New(rand.NewPCG(seed, 7))).run(60)
			})
		})
	}
}

// factoryRun makes the calls of one test.
type factoryRun struct {
	t       *testing.T
	random  *rand.Rand
	factory *informer.Factory
	model   factoryModel
	sources []*countingSource
	views   []*listwatch.ListWatch[*Pod]
	users   []*factoryUser
	ctx     context.Context
	cancel  context.CancelFunc
	log     []string
}

// factoryUser is a result of For with its handler and its entry in the model.
type factoryUser struct {
	informer     *informer.SharedInformer[*Pod]
	registration *informer.Registration
	model        *modelEntry
}

func newFactoryRun(t *testing.T, random *rand.Rand) *factoryRun {
	p := &factoryRun{t: t, random: random, factory: informer.NewFactory(informer.FactoryOptions{Logger: slog.New(slog.DiscardHandler)})}
	for _, name := range []string{"one", "two", "three"} {
		c := &countingSource{name: name, open: map[string]int{}}
		p.sources = append(p.sources, c)
		p.views = append(p.views, c.source())
	}
	p.ctx, p.cancel = context.WithCancel(t.Context())
	return p
}

func (p *factoryRun) run(steps int) {
	for range steps {
		switch n := p.random.IntN(10); {
		case n < 4:
			p.request()
		case n < 7 && len(p.users) > 0:
			p.release(p.random.IntN(len(p.users)))
		case n == 7:
			p.log = append(p.log, "cancel")
			p.cancel()
			p.ctx, p.cancel = context.WithCancel(p.t.Context())
			p.model.setPhase("running", "ended")
			p.model.started = false
		default:
			p.log = append(p.log, "start")
			require.NoError(p.t, p.factory.Start(p.ctx))
			p.model.setPhase("idle", "running")
			p.model.started = true
		}
		p.compare()
	}
	p.log = append(p.log, "shutdown")
	require.NoError(p.t, p.factory.Shutdown())
	p.model.setPhase("running", "ended")
	p.compare()
	p.cancel()
	for len(p.users) > 0 {
		p.release(0)
		p.compare()
	}
}

func (p *factoryRun) request() {
	i, selector := p.random.IntN(len(p.views)), []string{"", "a=b"}[p.random.IntN(2)]
	name := sourceName(p.sources[i].name, selector)
	p.log = append(p.log, "request "+name)
	inf := informer.For(p.factory, p.views[i], informer.Options[*Pod]{
		Name:             name,
		PreferList:       true,
		TweakListOptions: func(options *metav1.ListOptions) { options.LabelSelector = selector },
	})
	registration, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
	require.NoError(p.t, err)
	p.users = append(p.users, &factoryUser{inf, registration, p.model.request(name)})
}

func (p *factoryRun) release(i int) {
	user := p.users[i]
	p.users = slices.Delete(p.users, i, i+1)
	p.log = append(p.log, "release "+user.model.name)
	user.informer.Release()
	p.model.release(user.model)
	synctest.Wait()
	select {
	case <-user.registration.Done():
	default:
		require.Fail(p.t, "the handler of the released informer is not done", "%s", strings.Join(p.log, "\n"))
	}
	if user.model.users == 0 {
		require.Empty(p.t, keysOf(user.informer), "the store of the released informer has objects\n%s", strings.Join(p.log, "\n"))
	}
}

func (p *factoryRun) compare() {
	synctest.Wait()
	var states, watches []string
	for _, inf := range p.factory.Informers() {
		state := inf.State()
		states = append(states, fmt.Sprint(state.Name, " running:", state.Running))
	}
	for _, source := range p.sources {
		watches = append(watches, source.watches()...)
	}
	slices.Sort(watches)
	history := strings.Join(p.log, "\n")
	require.Equal(p.t, p.model.String(), strings.Join(states, "\n"), history)
	require.Equal(p.t, p.model.running(), watches, history)
	for _, user := range p.users {
		stored := len(keysOf(user.informer))
		require.Equal(p.t, user.model.phase != "idle", stored == 1, "objects of %s\n%s", user.model.name, history)
	}
}
