package transport

import (
	"context"
	"os"
	"sync"
	"time"
)

const (
	// execRenewBefore is how long before their expiry credentials are renewed, or a
	// fifth of their lifetime if that is less.
	execRenewBefore = 10 * time.Second
	// execRenewRetry is the wait after a failed renewal while the credentials are
	// still valid.
	execRenewRetry = 2 * time.Second
	// execRejectedCooldown is the time without a new run after a 401 whose run
	// failed or returned the rejected credentials again.
	execRejectedCooldown = 10 * time.Second
)

// execAuthenticator caches the credentials of a plugin until shortly before they
// expire. Concurrent requests share one run.
type execAuthenticator struct {
	fetch      func(context.Context) (*execCredentials, error)
	operations *operations
	// useCertificate receives each changed certificate, before any authorization of
	// the same run is returned.
	useCertificate func(*execCredentials) error
	failures       failureLog

	mu       sync.Mutex
	current  *execCredentials
	version  uint64    // counts successful runs
	renewAt  time.Time // when current should be renewed; zero is never
	run      *execRun  // in progress or being cancelled; nil is none
	cooldown time.Time // no run after a 401 before this time
}

// execRun is one run of the plugin, with its waiters.
type execRun struct {
	previous *execRun // cancelled, must end first; nil is none
	done     chan struct{}
	err      error // valid when done is closed
	cancel   context.CancelFunc

	// Guarded by execAuthenticator.mu. The run is cancelled when its last waiter
	// leaves; a later request starts another.
	waiters   int
	cancelled bool
}

func newExecAuthenticator(config *Config, ops *operations, transports *transports) *execAuthenticator {
	program := &execProgram{config: config, stdin: os.Stdin, stderr: os.Stderr}
	e := &execAuthenticator{fetch: program.run, operations: ops}
	e.failures = failureLog{
		logger:    config.logger().With("command", config.Exec.Command),
		failed:    "Cannot renew the credentials: the old ones stay in use",
		recovered: "The credentials can be renewed again",
	}
	e.useCertificate = func(credentials *execCredentials) error {
		if transports == nil {
			if credentials.certificate != nil {
				return errCertificateUnusable
			}
			return nil
		}
		transports.setCertificate(credentials.certificate)
		return nil
	}
	return e
}

func (e *execAuthenticator) authorize(ctx context.Context) (authorization, error) {
	e.mu.Lock()
	if e.validLocked() && !e.renewalDueLocked() {
		defer e.mu.Unlock()
		return e.authorizationLocked(), nil
	}
	err := e.waitLocked(ctx)
	defer e.mu.Unlock()
	if err != nil && !e.validLocked() {
		return authorization{}, err
	}
	return e.authorizationLocked(), nil
}

func (e *execAuthenticator) rejected(ctx context.Context, rejected authorization) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.version != rejected.version {
		return true // another run has succeeded since
	}
	if time.Now().Before(e.cooldown) {
		return false
	}
	previous := *e.current
	err := e.waitLocked(ctx)
	if err == nil && !e.current.equal(&previous) {
		return true
	}
	if ctx.Err() == nil {
		e.cooldown = time.Now().Add(execRejectedCooldown)
	}
	return false
}

func (e *execAuthenticator) authorizationLocked() authorization {
	auth := authorization{version: e.version}
	if e.current.token != "" {
		auth.header = bearer(e.current.token)
	}
	return auth
}

// validLocked reports whether there are credentials that have not expired.
func (e *execAuthenticator) validLocked() bool {
	return e.current != nil && (e.current.expires.IsZero() || time.Now().Before(e.current.expires))
}

// renewalDueLocked reports whether the credentials should be renewed.
func (e *execAuthenticator) renewalDueLocked() bool {
	return !e.renewAt.IsZero() && !time.Now().Before(e.renewAt)
}

// waitLocked waits for the run in progress, or starts one, until it ends or ctx
// does. It releases mu meanwhile.
func (e *execAuthenticator) waitLocked(ctx context.Context) error {
	run := e.run
	if run == nil || run.cancelled {
		if !e.operations.begin() {
			return ErrClosed
		}
		runCtx, cancel := context.WithCancel(e.operations.ctx)
		run = &execRun{previous: run, done: make(chan struct{}), cancel: cancel}
		e.run = run
		go e.runPlugin(runCtx, run)
	}
	run.waiters++
	e.mu.Unlock()
	var err error
	select {
	case <-run.done:
		err = run.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	e.mu.Lock()
	if run.waiters--; run.waiters == 0 {
		run.cancelled = true
		run.cancel()
	}
	return err
}

// runPlugin runs the plugin once.
func (e *execAuthenticator) runPlugin(ctx context.Context, run *execRun) {
	defer e.operations.end()
	if run.previous != nil {
		<-run.previous.done
		run.previous = nil
	}
	credentials, err := e.fetch(ctx)
	e.mu.Lock()
	previous := e.current
	e.mu.Unlock()
	if err == nil && credentials.certificateDiffers(previous) {
		err = e.useCertificate(credentials)
	}
	e.mu.Lock()
	if err == nil {
		if previous == nil || !credentials.equal(previous) {
			e.cooldown = time.Time{}
		}
		e.current = credentials
		e.version++
		e.renewAt = credentials.renewalTime(time.Now())
	}
	stillValid := e.validLocked()
	if err != nil && stillValid && e.renewalDueLocked() {
		e.renewAt = time.Now().Add(execRenewRetry)
	}
	run.err = err
	if e.run == run {
		e.run = nil
	}
	e.mu.Unlock()
	// Before done is closed: the last waiter to leave cancels the run.
	if ctx.Err() == nil && (err == nil || stillValid) {
		e.failures.record(err)
	}
	close(run.done)
}

// renewalTime returns when credentials should be renewed; zero is never.
func (c *execCredentials) renewalTime(now time.Time) time.Time {
	if c.expires.IsZero() {
		return time.Time{}
	}
	return c.expires.Add(-min(execRenewBefore, max(0, c.expires.Sub(now)/5)))
}

func (c *execCredentials) equal(other *execCredentials) bool {
	return c.token == other.token && !c.certificateDiffers(other)
}

func (c *execCredentials) certificateDiffers(other *execCredentials) bool {
	if other == nil {
		return c.certificate != nil
	}
	return c.certificatePEM != other.certificatePEM || c.keyPEM != other.keyPEM
}
