package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Controller calls a Reconciler with the keys that For, Owns, Watches and Channel
// bring. Those are called before Run; all other methods may be called at any
// time, from any goroutine.
type Controller struct {
	name       string
	reconciler Reconciler
	options    Options
	logger     *slog.Logger

	mu      sync.Mutex
	wrong   []error
	watches []watched
	// current is the run that goes on, nil if none does.
	current *run
	// owners is what For watches, for Owns. It does not change while a run goes on.
	owners []rest.ResourceInfo
	// before is closed when nothing goes on that the last run has left behind;
	// nil before the first.
	before <-chan struct{}
	counts counts
	// unseen is what runs that have ended have written, as far as the informers
	// had not seen it.
	unseen map[Request][]*wait
}

// New returns a controller that does nothing until it is run. What is wrong with
// the arguments is the error of Run.
func New(name string, r Reconciler, o Options) *Controller {
	c := &Controller{name: name, reconciler: r}
	if name == "" {
		c.fail(ErrNoName)
	}
	if isNil(r) {
		c.fail(fmt.Errorf("%w: %s", ErrNoReconciler, name))
	}
	if err := o.mistakes(name); err != nil {
		c.fail(err)
	}
	c.options = o.withDefaults()
	c.logger = c.options.Logger.With("controller", name)
	return c
}

// Name is what logs and states call it.
func (c *Controller) Name() string { return c.name }

// Informers are those that it watches, each once.
func (c *Controller) Informers() []informer.AnyInformer {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []informer.AnyInformer
	seen := map[informer.AnyInformer]bool{}
	for _, w := range c.watches {
		if inf := w.any(); inf != nil && !seen[inf] {
			seen[inf] = true
			all = append(all, inf)
		}
	}
	return all
}

func (c *Controller) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, err)
}

func (c *Controller) add(w watched) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil {
		c.wrong = append(c.wrong, fmt.Errorf("%w: %s", ErrRunning, c.name))
		return
	}
	c.watches = append(c.watches, w)
}

// Run waits for the informers to sync, which somebody else runs, such as their
// factory, and then reconciles until ctx is done. At the end no new reconcile
// begins, and those that have begun are waited for as StopTimeout and
// CancelTimeout say; if it was leadership that has ended ([Leading]), their ctx
// ends at once.
//
// When it has returned it may be called again, as a program does that leads, and
// then does not, and leads again: all keys come anew.
//
// Possible errors: what was wrong with the arguments of New, For and the like;
// ErrNothingWatched, ErrRunning; informer.ErrNotRunning, informer.ErrStopped and
// what else keeps an informer from being waited for; *StopError.
func (c *Controller) Run(ctx context.Context) error {
	r, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	return r.do()
}

func (c *Controller) begin(ctx context.Context) (*run, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrong) > 0 {
		return nil, errors.Join(c.wrong...)
	}
	if len(c.watches) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNothingWatched, c.name)
	}
	if len(c.owners) == 0 && slices.ContainsFunc(c.watches, watched.needsOwner) {
		return nil, fmt.Errorf("%w: %s", ErrNoOwner, c.name)
	}
	if c.current != nil {
		return nil, fmt.Errorf("%w: %s", ErrRunning, c.name)
	}
	if c.before != nil {
		select {
		case <-c.before:
		default:
			return nil, fmt.Errorf("%w: %s: its last Run has left something behind that goes on", ErrRunning, c.name)
		}
	}
	c.current = newRun(ctx, Leading(ctx), c)
	return c.current, nil
}

func (c *Controller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before, c.current = c.current.ended, nil
}

// State tells what the controller is doing.
func (c *Controller) State() State {
	c.mu.Lock()
	r := c.current
	c.mu.Unlock()
	s := State{Name: c.name}
	c.counts.into(&s)
	if r != nil {
		r.into(&s)
	}
	return s
}
