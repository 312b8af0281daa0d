package leader

import (
	"fmt"
	"time"
)

// State is a snapshot of an Elector.
type State struct {
	// Lease is the namespace and name of the Lease.
	Lease string
	// Identity is the holder identity of this process.
	Identity string
	// Leading reports whether this process leads at the time of the call.
	Leading bool
	// Leader is the last known holder of the Lease, "" if there is none. A leader that
	// has died is shown until another process takes over.
	Leader string
	// Transitions is the number of changes of the holder.
	Transitions int32
	// Renewed is when this process began to send its last accepted renewal.
	Renewed time.Time
	// Err is the error of the last request, nil if it succeeded.
	Err error
}

// State returns the current state.
func (e *Elector) State() State {
	e.mu.Lock()
	s, t := e.state, e.acting
	e.mu.Unlock()
	s.Leading = t != nil && !t.hasEnded()
	return s
}

// Check returns an error if the options are invalid, or if lead is running although
// another process may lead, because the Lease was not renewed and lead did not return.
// Both are reasons to restart the process. A candidate that cannot reach the server is
// not an error; see State.
func (e *Elector) Check() error {
	e.mu.Lock()
	t := e.acting
	e.mu.Unlock()
	if e.err != nil || t == nil {
		return e.err
	}
	if late := t.sinceRenewal() - e.options.LeaseDuration; late > 0 {
		return fmt.Errorf("%w: the lease %s expired %v ago", ErrStillRunning, e.state.Lease, late.Round(time.Millisecond))
	}
	return nil
}

// String returns the State in one line, for logs and debug pages.
func (e *Elector) String() string {
	s := e.State()
	role := "no known leader"
	switch {
	case s.Leading:
		role = "leads"
	case s.Leader != "":
		role = "standby, the leader is " + s.Leader
	}
	line := fmt.Sprintf("%s, lease %s: %s", s.Identity, s.Lease, role)
	if s.Err != nil {
		line += ": " + s.Err.Error()
	}
	return line
}

func (e *Elector) setActing(t *term) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.acting = t
}

func (e *Elector) clearActing(t *term) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.acting == t {
		e.acting = nil
	}
}

// publish copies the state of the machine to the Elector.
func (c *campaign) publish() {
	e := c.elector
	e.mu.Lock()
	e.state.Leader = c.machine.record.holder
	e.state.Transitions = c.machine.record.transitions
	e.state.Renewed = c.machine.renewed
	e.state.Err = c.failures.err
	e.mu.Unlock()
	if c.machine.newest != nil {
		c.notifier.notify(c.machine.record.holder)
	}
}
