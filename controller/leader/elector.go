package leader

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/rest"
)

// Elector contends for a Lease. It implements [controller.Elector]. Create one with
// [New]. Its methods are safe for concurrent use.
type Elector struct {
	client  *rest.Client
	options Options
	err     error // error in the options

	// wallClock returns the wall clock time. Tests replace it.
	wallClock func() time.Time

	mu      sync.Mutex
	running bool
	state   State
	// acting is the term of the lead call that has not returned, nil if there is none.
	acting *term
}

var (
	_ controller.Elector = (*Elector)(nil)
	_ fmt.Stringer       = (*Elector)(nil)
)

// New returns an elector for a Lease on client's server. The elector uses its own
// connections. Pass the client that lead writes with: when lead begins, and when a
// request of the election timed out, that client sends its next requests on new
// connections. New sends no request. Run and Check return the errors in the options.
func New(client *rest.Client, o Options) *Elector {
	e := &Elector{client: client, wallClock: time.Now}
	e.options, e.err = o.withDefaults(namespaceFile)
	at := server{client, e.options.Namespace, e.options.Name}
	if e.err == nil && client == nil {
		e.err = optionError("the client is nil")
	}
	if e.err == nil {
		if err := at.check(); err != nil {
			e.err = optionError("%w", err)
		}
	}
	e.state = State{Lease: e.options.Namespace + "/" + e.options.Name, Identity: e.options.Identity}
	return e
}

// Run contends for the Lease until ctx is done, and calls lead each time that the
// Lease was acquired.
//
// The context of lead ends when ctx is done and when the Lease is lost. Its Err
// compares the clock, so that it reports a loss right after a pause of the process,
// before any timer has fired. After a loss lead must return at once, and Run continues
// as a candidate. The error of lead is then ignored if it is that of its context. If
// lead takes longer than other candidates wait, Run returns [ErrStillRunning] without
// waiting for it.
//
// When ctx is done, Run renews the Lease until lead has returned and then releases it,
// so that the next leader need not wait for its expiration. If lead returns by itself,
// Run also releases the Lease and returns the error of lead.
//
// Run does not release the Lease, but lets it expire, if lead returns
// [controller.ErrStillRunning], as a controller does if a reconcile has not ended in
// time: the reconcile would run concurrently with the next leader.
func (e *Elector) Run(ctx context.Context, lead func(ctx context.Context) error) error {
	switch {
	case e.err != nil:
		return e.err
	case ctx == nil:
		return optionError("the ctx of Run is nil: pass a context that ends with the program")
	case lead == nil:
		return optionError("lead is nil")
	}
	if err := e.begin(); err != nil {
		return err
	}
	defer e.end()
	client, err := e.client.Clone()
	if err != nil {
		return err
	}
	defer client.Close()
	c := newCampaign(e, client)
	defer c.notifier.start(e.options.OnNewLeader)()
	for c.contend(ctx) {
		ended, err := c.runTerm(ctx, lead)
		if ended {
			return err
		}
	}
	c.release(ctx)
	return nil
}

func (e *Elector) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.running:
		return ErrRunning
	case e.acting != nil:
		return fmt.Errorf("%w: lead of an earlier Run has not returned yet", ErrStillRunning)
	}
	e.running = true
	return nil
}

func (e *Elector) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = false
	e.state.Leading, e.state.Leader, e.state.Err = false, "", nil
}

// campaign is one Run of an Elector. It is used only by Run's goroutine.
type campaign struct {
	elector  *Elector
	server   server
	machine  machine
	notifier notifier
	failures failureLog
	log      *slog.Logger
	// renewedWall is the wall clock time of the last accepted renewal, taken before it
	// was sent.
	renewedWall time.Time
	// warned is the acquire time of the foreign record that was last warned about.
	warned string
}

func newCampaign(e *Elector, client *rest.Client) *campaign {
	o := e.options
	log := o.Logger.With("lease", o.Namespace+"/"+o.Name, "identity", o.Identity)
	return &campaign{
		elector: e, log: log,
		server: server{client, o.Namespace, o.Name},
		machine: machine{
			identity: o.Identity, leaseDuration: o.LeaseDuration, renewDeadline: o.RenewDeadline, retryPeriod: o.RetryPeriod,
			random: rand.Float64,
		},
		failures: failureLog{log: log},
	}
}

// contend waits until the Lease is acquired. It returns false if ctx ends first.
func (c *campaign) contend(ctx context.Context) bool {
	for ctx.Err() == nil {
		now := time.Now()
		if c.machine.leads(now) {
			return true
		}
		step := c.machine.next(now)
		if step.do == wait {
			sleep(ctx, step.until)
			continue
		}
		c.perform(ctx, step)
	}
	return false
}

// perform performs a step and reports the result to the machine.
func (c *campaign) perform(ctx context.Context, s step) {
	if s.do == read {
		c.read(ctx, s.until)
	} else {
		wallTime := c.elector.wallClock()
		c.write(ctx, s.until, wallTime, c.machine.heldRecord(wallTime))
	}
	c.publish()
}

// sleep waits until then, or until ctx is done.
func sleep(ctx context.Context, then time.Time) {
	timer := time.NewTimer(time.Until(then))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
