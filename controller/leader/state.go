package leader

import (
	"fmt"
	"time"
)

// State is what an Elector knows.
type State struct {
	// Lease is its namespace and name.
	Lease string
	// Identity is what this process is called in it.
	Identity string
	// Leading is whether this process leads, at the time of asking.
	Leading bool
	// Leader is the identity that holds the Lease, as far as is known: "" for
	// nobody. One that has died is still named until another has taken over.
	Leader string
	// Transitions is how often the Lease has gone from one holder to another.
	Transitions int32
	// Renewed is when the last renewal of this process was begun that was
	// accepted.
	Renewed time.Time
	// Err is why the last request failed, nil if it did not.
	Err error
}

// State is what the Elector knows now.
func (e *Elector) State() State {
	e.mu.Lock()
	s, t := e.state, e.acting
	e.mu.Unlock()
	s.Leading = t != nil && !t.isOver()
	return s
}

// Check is an error if the options are wrong, or if lead is running although
// others may lead by now, because the Lease was not renewed and lead did not
// return: a reason to restart the process. That a candidate cannot reach the
// server is none; State tells of it.
func (e *Elector) Check() error {
	e.mu.Lock()
	t := e.acting
	e.mu.Unlock()
	if e.err != nil || t == nil {
		return e.err
	}
	if late := t.since() - e.options.LeaseDuration; late > 0 {
		return fmt.Errorf("%w: the lease %s has been free to take for %v", ErrStillActing, e.state.Lease, late.Round(time.Millisecond))
	}
	return nil
}

// String is the State in a line, for logs and debug pages.
func (e *Elector) String() string {
	s := e.State()
	who := "nobody is known to lead"
	switch {
	case s.Leading:
		who = "leads"
	case s.Leader != "":
		who = "stands by for " + s.Leader
	}
	line := fmt.Sprintf("%s, lease %s: %s", s.Identity, s.Lease, who)
	if s.Err != nil {
		line += ": " + s.Err.Error()
	}
	return line
}

func (e *Elector) begins(t *term) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.acting = t
}

func (e *Elector) ends(t *term) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.acting == t {
		e.acting = nil
	}
}

// publish shows what the machine knows to those who ask.
func (c *candidacy) publish() {
	e := c.elector
	e.mu.Lock()
	e.state.Leader = c.machine.record.holder
	e.state.Transitions = c.machine.record.transitions
	e.state.Renewed = c.machine.renewed
	e.state.Err = c.trouble.err
	e.mu.Unlock()
	if c.machine.newest != nil {
		c.herald.tell(c.machine.record.holder)
	}
}
