package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/rest"
)

// Controller calls a Reconciler with the keys that For, Owns, Watches and Channel
// enqueue. Call those four before Run or while it runs. All methods are safe for
// concurrent use.
type Controller struct {
	name       string
	reconciler Reconciler
	options    Options
	logger     *slog.Logger

	mu         sync.Mutex
	configErrs []error
	watches    []*addedSource
	// validated: the arguments were valid once. After that, all sources may be removed,
	// and a For while there is an Owns.
	validated bool
	// current is the active run, nil if there is none.
	current *run
	// owners holds the resources passed to For. Owns uses them to find owner keys.
	owners atomic.Pointer[[]rest.ResourceInfo]
	// previousEnded is closed when everything that the last run left behind has ended.
	// It is nil before the first run.
	previousEnded <-chan struct{}
	counts        counts
	// maxPending is the MaxPending of its handlers. Only tests set it.
	maxPending int
	// pendingWrites holds the writes of ended runs that the informers had not
	// observed.
	pendingWrites map[Request][]*wait
	// lastReads has the tracked reads of the last run, nil if there are none or a run has
	// taken them. restoreReads makes a run take them. It is a function value so that
	// programs without tracked reads do not link it.
	lastReads    readTracker
	restoreReads func(*run)
}

// New returns a controller that does nothing until it is run. Run returns the errors
// in the arguments.
func New(name string, r Reconciler, o Options) *Controller {
	c := &Controller{name: name, reconciler: r}
	if name == "" {
		c.fail(ErrNoName)
	}
	if nilcheck.IsNilPointer(r) {
		c.fail(fmt.Errorf("%w: %s", ErrNoReconciler, name))
	}
	if err := o.validate(name); err != nil {
		c.fail(err)
	}
	c.options = o.withDefaults()
	c.logger = c.options.Logger.With("controller", name)
	return c
}

// Name returns the name that is used in logs and states.
func (c *Controller) Name() string { return c.name }

// Informers returns the informers that the controller watches, each once.
func (c *Controller) Informers() []informer.AnyInformer {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []informer.AnyInformer
	seen := map[informer.AnyInformer]bool{}
	for _, w := range c.watches {
		if inf := w.informer(); inf != nil && !seen[inf] {
			seen[inf] = true
			all = append(all, inf)
		}
	}
	return all
}

// sources returns a copy of the sources of keys.
func (c *Controller) sources() []keySource {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]keySource, len(c.watches))
	for i, s := range c.watches {
		all[i] = s.keySource
	}
	return all
}

// hasSource reports whether an informer is registered.
func (c *Controller) hasSource(inf informer.AnyInformer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hasSourceLocked(inf)
}

func (c *Controller) hasSourceLocked(inf informer.AnyInformer) bool {
	return slices.ContainsFunc(c.watches, func(s *addedSource) bool {
		return s.informer() != nil && informer.SameInformer(s.informer(), inf)
	})
}

func (c *Controller) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failLocked(err)
}

// failLocked records a configuration error for Run to return. During a run it also
// ends the run, since the missing source would otherwise go unnoticed.
func (c *Controller) failLocked(err error) {
	c.configErrs = append(c.configErrs, err)
	if c.current != nil {
		c.current.quit(&configError{err})
	}
}

// configError is the cause of a run that ended because of an error of a source that was
// added meanwhile.
type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

// Run waits for the informers to sync and then reconciles until ctx is done. It does
// not run the informers: their factory or their owner does. At the end no new
// reconcile begins. Reconciles in progress are waited for as described at StopTimeout
// and CancelTimeout. If leadership was lost ([Leading]), their ctx ends at once.
//
// Run may be called again after it has returned, for example by a program that loses
// leadership and wins it again. All keys are then enqueued again. A controller whose
// sources were removed after its first run began does nothing until another is added.
//
// Possible errors: the errors in the arguments of New, For and the like;
// ErrNothingWatched, ErrAmbiguousOwner, ErrNoOwner, ErrNoContext; ErrRunning;
// informer.ErrNotRunning, informer.ErrStopped and other reasons why an informer cannot
// sync; *StopError. Errors of For and the like during Run end the run.
func (c *Controller) Run(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("%w: %s", ErrNoContext, c.name)
	}
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
	if err := c.validateLocked(); err != nil {
		return nil, err
	}
	if c.current != nil {
		return nil, fmt.Errorf("%w: %s", ErrRunning, c.name)
	}
	if !c.hasEndedLocked() {
		return nil, fmt.Errorf("%w: %s: functions of its last Run have not returned yet", ErrRunning, c.name)
	}
	c.current = newRun(ctx, Leading(ctx), c)
	return c.current, nil
}

// validateLocked returns the errors in the arguments of New, For and the like.
func (c *Controller) validateLocked() error {
	err := errors.Join(c.configErrs...)
	owns := slices.ContainsFunc(c.watches, func(s *addedSource) bool { return s.needsFor() })
	switch {
	case err != nil:
	case owns && len(c.ownerKinds()) > 0:
		err = c.validateOwners()
	case c.validated:
	case owns:
		err = fmt.Errorf("%w: %s", ErrNoOwner, c.name)
	case !slices.ContainsFunc(c.watches, func(s *addedSource) bool { return enqueues(s.keySource) }):
		err = fmt.Errorf("%w: %s", ErrNothingWatched, c.name)
	}
	if err == nil {
		c.validated = true
	}
	return err
}

func (c *Controller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.previousEnded, c.current = c.current.ended, nil
}

// isRunning reports whether Run was called and has not returned.
func (c *Controller) isRunning() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current != nil
}

// hasEnded reports whether nothing of any run is running.
func (c *Controller) hasEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current == nil && c.hasEndedLocked()
}

// hasEndedLocked reports whether nothing of the last run is running.
func (c *Controller) hasEndedLocked() bool {
	if c.previousEnded == nil {
		return true
	}
	select {
	case <-c.previousEnded:
		return true
	default:
		return false
	}
}

// State returns a snapshot of what the controller is doing.
func (c *Controller) State() State {
	c.mu.Lock()
	r := c.current
	c.mu.Unlock()
	s := State{Name: c.name}
	c.counts.fill(&s)
	if r != nil {
		r.fill(&s)
	}
	return s
}
