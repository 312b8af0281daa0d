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

// Elector contends for a Lease. It is a [controller.Elector]. Make one with
// [New]; its methods may be called from any goroutine.
type Elector struct {
	client  *rest.Client
	options Options
	err     error // what is wrong with the options

	// wall is the wall clock, which tests set.
	wall func() time.Time

	mu      sync.Mutex
	running bool
	state   State
	// acting is the term in which lead was called and from which it has not
	// returned, nil for none.
	acting *term
}

var (
	_ controller.Elector = (*Elector)(nil)
	_ fmt.Stringer       = (*Elector)(nil)
)

// New makes an elector that asks client's server, on connections of its own.
// Nothing is sent before Run. What is wrong with the options is the error of Run
// and Check.
func New(client *rest.Client, o Options) *Elector {
	e := &Elector{client: client, wall: time.Now}
	e.options, e.err = o.withDefaults(namespaceFile)
	at := server{client, e.options.Namespace, e.options.Name}
	if e.err == nil && client == nil {
		e.err = wrong("the client is nil")
	}
	if e.err == nil {
		if err := at.check(); err != nil {
			e.err = wrong("%w", err)
		}
	}
	e.state = State{Lease: e.options.Namespace + "/" + e.options.Name, Identity: e.options.Identity}
	return e
}

// Run contends for the Lease until ctx is done, and calls lead each time that
// it has been won.
//
// The context of lead ends when ctx is done, and when the Lease is lost; its
// Err, asked after a pause of the process, knows of the loss although no timer
// has had time to run. After a loss lead has to return at once, and Run goes on
// as a candidate; the error of a lead that was told to end so is of no interest
// if it is that of its context. If lead takes longer than others wait, Run
// returns [ErrStillActing] without it.
//
// When ctx is done, the Lease is renewed until lead has returned, then given
// back, so that the next one need not wait for it to run out. When lead returns
// without having been told to, the Lease is given back as well, and its error is
// that of Run.
//
// The Lease is not given back, and runs out, if lead's error is
// [controller.ErrStillRunning], as that of a controller is with a reconcile that
// has not ended in its time: it would act beside the next leader.
func (e *Elector) Run(ctx context.Context, lead func(ctx context.Context) error) error {
	switch {
	case e.err != nil:
		return e.err
	case lead == nil:
		return wrong("lead is nil: there is nothing to call")
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
	c := newCandidacy(e, client)
	defer c.herald.start(e.options.OnNewLeader)()
	for c.contend(ctx) {
		over, err := c.reign(ctx, lead)
		if over {
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
		return fmt.Errorf("%w: lead of an earlier Run has not returned yet", ErrStillActing)
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

// candidacy is one Run of an Elector. All of it belongs to Run's goroutine.
type candidacy struct {
	elector *Elector
	server  server
	machine machine
	herald  herald
	trouble trouble
	log     *slog.Logger
	// renewedWall is the wall clock when the renewal was begun that the machine
	// counts from.
	renewedWall time.Time
	// warned is when the stranger took the Lease that was warned of last.
	warned string
}

func newCandidacy(e *Elector, client *rest.Client) *candidacy {
	o := e.options
	log := o.Logger.With("lease", o.Namespace+"/"+o.Name, "identity", o.Identity)
	return &candidacy{
		elector: e, log: log,
		server: server{client, o.Namespace, o.Name},
		machine: machine{
			identity: o.Identity, lasts: o.LeaseDuration, renewDeadline: o.RenewDeadline, retryPeriod: o.RetryPeriod,
			random: rand.Float64,
		},
		trouble: trouble{log: log},
	}
}

// contend waits until the Lease is won. It is false if ctx is done before.
func (c *candidacy) contend(ctx context.Context) bool {
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
		c.take(ctx, step)
	}
	return false
}

// take does a step and tells the machine what came of it.
func (c *candidacy) take(ctx context.Context, s step) {
	if s.do == read {
		c.read(ctx, s.until)
	} else {
		wall := c.elector.wall()
		c.write(ctx, s.until, wall, c.machine.holding(wall))
	}
	c.publish()
}

// sleep until then, or until ctx is done.
func sleep(ctx context.Context, then time.Time) {
	timer := time.NewTimer(time.Until(then))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
