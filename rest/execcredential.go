package rest

import (
	"context"
	"net/url"
	"os"
	"sync"
	"time"
)

const (
	// execLeeway is how long before their end credentials are fetched anew, or
	// a fifth of their life if that is less.
	execLeeway = 10 * time.Second
	// execRetry is how long credentials that could not be renewed and are still
	// valid are used before the next try.
	execRetry = 2 * time.Second
	// execPause is how long a refusal begins no run after one that was of no
	// help: it failed, or handed out again what was refused.
	execPause = 10 * time.Second
)

// execCredential is what a plugin hands out, kept until shortly before it
// expires. However many requests want it, one run at a time fetches it.
type execCredential struct {
	fetch   func(context.Context) (*issued, error)
	running *running
	// show is given each other certificate, before any pass of the same run is.
	show    func(*issued) error
	trouble trouble

	mu      sync.Mutex
	current *issued
	number  uint64    // of runs that have brought something
	renew   time.Time // when current should be fetched anew; zero is never
	run     *execRun  // that is under way or being cancelled; nil is none
	paused  time.Time // until when a refusal begins no run
}

// execRun is one run of the plugin and those who wait for it.
type execRun struct {
	after  *execRun // that was cancelled and must end first; nil is none
	done   chan struct{}
	err    error // valid when done is closed
	cancel context.CancelFunc

	// Guarded by execCredential.mu. When the last of those who wait has left,
	// the run is cancelled, and whoever comes then begins another.
	waiting   int
	cancelled bool
}

func newExecCredential(config *Config, base *url.URL, running *running, transports *transports) *execCredential {
	program := &execProgram{config: config, base: base, stdin: os.Stdin, stderr: os.Stderr}
	e := &execCredential{fetch: program.run, running: running}
	e.trouble = trouble{
		logger: config.logger().With("command", config.Exec.Command),
		begins: "cannot renew the credentials: the old ones stay in use",
		over:   "the credentials can be renewed again",
	}
	e.show = func(made *issued) error {
		if transports == nil {
			if made.certificate != nil {
				return errNoPlaceForCertificate
			}
			return nil
		}
		transports.present(made.certificate)
		return nil
	}
	return e
}

func (e *execCredential) pass(ctx context.Context) (pass, error) {
	e.mu.Lock()
	if e.validLocked() && !e.dueLocked() {
		defer e.mu.Unlock()
		return e.passLocked(), nil
	}
	err := e.waitLocked(ctx)
	defer e.mu.Unlock()
	if err != nil && !e.validLocked() {
		return pass{}, err
	}
	return e.passLocked(), nil
}

func (e *execCredential) refused(ctx context.Context, p pass) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.number != p.number {
		return true // another run has brought something since
	}
	if time.Now().Before(e.paused) {
		return false
	}
	before := *e.current
	err := e.waitLocked(ctx)
	if err == nil && !e.current.same(&before) {
		return true
	}
	if ctx.Err() == nil {
		e.paused = time.Now().Add(execPause)
	}
	return false
}

func (e *execCredential) passLocked() pass {
	p := pass{number: e.number}
	if e.current.token != "" {
		p.authorization = bearer(e.current.token)
	}
	return p
}

// validLocked is whether there are credentials that have not expired.
func (e *execCredential) validLocked() bool {
	return e.current != nil && (e.current.expires.IsZero() || time.Now().Before(e.current.expires))
}

// dueLocked is whether the credentials should be fetched anew.
func (e *execCredential) dueLocked() bool {
	return !e.renew.IsZero() && !time.Now().Before(e.renew)
}

// waitLocked waits for the end of the run that is under way, or of one that it
// begins, or of ctx. mu is not held meanwhile.
func (e *execCredential) waitLocked(ctx context.Context) error {
	run := e.run
	if run == nil || run.cancelled {
		if !e.running.begin() {
			return ErrClosed
		}
		bound, cancel := context.WithCancel(e.running.ctx)
		run = &execRun{after: run, done: make(chan struct{}), cancel: cancel}
		e.run = run
		go e.fly(bound, run)
	}
	run.waiting++
	e.mu.Unlock()
	var err error
	select {
	case <-run.done:
		err = run.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	e.mu.Lock()
	if run.waiting--; run.waiting == 0 {
		run.cancelled = true
		run.cancel()
	}
	return err
}

// fly is one run of the plugin.
func (e *execCredential) fly(ctx context.Context, run *execRun) {
	defer e.running.end()
	if run.after != nil {
		<-run.after.done
		run.after = nil
	}
	made, err := e.fetch(ctx)
	e.mu.Lock()
	before := e.current
	e.mu.Unlock()
	if err == nil && made.otherCertificate(before) {
		err = e.show(made)
	}
	e.mu.Lock()
	if err == nil {
		if before == nil || !made.same(before) {
			e.paused = time.Time{}
		}
		e.current = made
		e.number++
		e.renew = made.renewal(time.Now())
	}
	renewing := e.validLocked()
	if err != nil && renewing && e.dueLocked() {
		e.renew = time.Now().Add(execRetry)
	}
	run.err = err
	if e.run == run {
		e.run = nil
	}
	e.mu.Unlock()
	// Before done is closed: the last waiter to leave cancels the run.
	if ctx.Err() == nil && (err == nil || renewing) {
		e.trouble.is(err)
	}
	close(run.done)
}

// renewal is when credentials should be fetched anew; zero is never.
func (i *issued) renewal(now time.Time) time.Time {
	if i.expires.IsZero() {
		return time.Time{}
	}
	return i.expires.Add(-min(execLeeway, max(0, i.expires.Sub(now)/5)))
}

func (i *issued) same(other *issued) bool {
	return i.token == other.token && !i.otherCertificate(other)
}

func (i *issued) otherCertificate(before *issued) bool {
	if before == nil {
		return i.certificate != nil
	}
	return i.certificatePEM != before.certificatePEM || i.keyPEM != before.keyPEM
}
