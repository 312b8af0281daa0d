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

// A twinFactory is what a factory is meant to do, without informers: a list of
// what there is, and who uses it.
type twinFactory struct{ entries []*twinEntry }

type twinEntry struct {
	what  string
	users int
	phase string // idle, running or ended
}

func (f *twinFactory) ask(what string) *twinEntry {
	for _, e := range f.entries {
		if e.what == what && e.phase != "ended" {
			e.users++
			return e
		}
	}
	e := &twinEntry{what, 1, "idle"}
	f.entries = append(f.entries, e)
	return e
}

func (f *twinFactory) release(e *twinEntry) {
	if e.users--; e.users == 0 {
		f.entries = slices.DeleteFunc(f.entries, func(other *twinEntry) bool { return other == e })
	}
}

func (f *twinFactory) all(from, to string) {
	for _, e := range f.entries {
		if e.phase == from {
			e.phase = to
		}
	}
}

func (f *twinFactory) String() string {
	var lines []string
	for _, e := range f.entries {
		lines = append(lines, fmt.Sprint(e.what, " running:", e.phase == "running"))
	}
	return strings.Join(lines, "\n")
}

func (f *twinFactory) running() (watches []string) {
	for _, e := range f.entries {
		if e.phase == "running" {
			watches = append(watches, e.what)
		}
	}
	slices.Sort(watches)
	return watches
}

// counted is a source that knows which watches of it are open.
type counted struct {
	name string

	mu   sync.Mutex
	open map[string]int // how many, by what is watched
}

func (c *counted) count(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[what] += n
}

// watches are those that are open, each as often as it is.
func (c *counted) watches() (watches []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, n := range c.open {
		watches = append(watches, slices.Repeat([]string{what}, n)...)
	}
	return watches
}

func (c *counted) source() *listwatch.ListWatch[*Pod] {
	return &listwatch.ListWatch[*Pod]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*Pod], error) {
			return rest.ListOf("1", &Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", ResourceVersion: "1"}}), nil
		},
		WatchFunc: func(_ context.Context, options metav1.ListOptions) (*listwatch.Watch[*Pod], error) {
			what := whatIs(c.name, options.LabelSelector)
			c.count(what, 1)
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*Pod], error) {
				<-ctx.Done()
				return listwatch.Event[*Pod]{}, ctx.Err()
			}, func() { c.count(what, -1) }), nil
		},
	}
}

func whatIs(source, selector string) string { return source + " -l " + selector }

// TestFactoryIsItsTwin makes random calls to a factory and to its twin, and
// compares who there is, who runs, and which watches are open.
func TestFactoryIsItsTwin(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				newFactoryPlay(t, rand.New(rand.NewPCG(seed, 7))).play(60)
			})
		})
	}
}

type factoryPlay struct {
	t       *testing.T
	random  *rand.Rand
	factory *informer.Factory
	twin    twinFactory
	sources []*counted
	views   []*listwatch.ListWatch[*Pod]
	handles []*userOf
	ctx     context.Context
	cancel  context.CancelFunc
	log     []string
}

// userOf is one handle, its handler and its twin.
type userOf struct {
	informer     *informer.SharedInformer[*Pod]
	registration *informer.Registration
	twin         *twinEntry
}

func newFactoryPlay(t *testing.T, random *rand.Rand) *factoryPlay {
	p := &factoryPlay{t: t, random: random, factory: informer.NewFactory(informer.FactoryOptions{Logger: slog.New(slog.DiscardHandler)})}
	for _, name := range []string{"one", "two", "three"} {
		c := &counted{name: name, open: map[string]int{}}
		p.sources = append(p.sources, c)
		p.views = append(p.views, c.source())
	}
	p.ctx, p.cancel = context.WithCancel(t.Context())
	return p
}

func (p *factoryPlay) play(steps int) {
	for range steps {
		switch n := p.random.IntN(10); {
		case n < 4:
			p.ask()
		case n < 7 && len(p.handles) > 0:
			p.release(p.random.IntN(len(p.handles)))
		case n == 7:
			p.log = append(p.log, "cancel")
			p.cancel()
			p.ctx, p.cancel = context.WithCancel(p.t.Context())
			p.twin.all("running", "ended")
		default:
			p.log = append(p.log, "start")
			require.NoError(p.t, p.factory.Start(p.ctx))
			p.twin.all("idle", "running")
		}
		p.compare()
	}
	p.log = append(p.log, "shutdown")
	require.NoError(p.t, p.factory.Shutdown())
	p.twin.all("running", "ended")
	p.compare()
	p.cancel()
	for len(p.handles) > 0 {
		p.release(0)
		p.compare()
	}
}

func (p *factoryPlay) ask() {
	i, selector := p.random.IntN(len(p.views)), []string{"", "a=b"}[p.random.IntN(2)]
	what := whatIs(p.sources[i].name, selector)
	p.log = append(p.log, "ask for "+what)
	inf := informer.For(p.factory, p.views[i], informer.Options[*Pod]{
		Name:       what,
		PreferList: true,
		Tweak:      func(options *metav1.ListOptions) { options.LabelSelector = selector },
	})
	registration, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
	require.NoError(p.t, err)
	p.handles = append(p.handles, &userOf{inf, registration, p.twin.ask(what)})
}

func (p *factoryPlay) release(i int) {
	user := p.handles[i]
	p.handles = slices.Delete(p.handles, i, i+1)
	p.log = append(p.log, "release "+user.twin.what)
	user.informer.Release()
	p.twin.release(user.twin)
	synctest.Wait()
	select {
	case <-user.registration.Done():
	default:
		require.Fail(p.t, "the handler is still there", "%s", strings.Join(p.log, "\n"))
	}
	if user.twin.users == 0 {
		require.Empty(p.t, keysOf(user.informer), "the store is not free\n%s", strings.Join(p.log, "\n"))
	}
}

func (p *factoryPlay) compare() {
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
	require.Equal(p.t, p.twin.String(), strings.Join(states, "\n"), history)
	require.Equal(p.t, p.twin.running(), watches, history)
	for _, user := range p.handles {
		stored := len(keysOf(user.informer))
		require.Equal(p.t, user.twin.phase != "idle", stored == 1, "what %s has stored\n%s", user.twin.what, history)
	}
}
