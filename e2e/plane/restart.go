package plane

import (
	"context"
	"errors"
	"time"
)

// KillAPIServer ends the API server at once, as a crash would: connections break,
// and its port refuses others. etcd stays, with all that was written.
//
// It and RestartAPIServer are not for use while another goroutine uses the
// plane; who has a URL or a Config of it can go on.
func (p *Plane) KillAPIServer() error {
	p.apiserver.kill()
	// Its number may be another's from now on.
	return p.guard.watchOnly(p.etcd)
}

// RestartAPIServer kills the API server if it runs, starts another one at the
// same URL and returns when that is ready. What Ended has returned before
// belongs to the one that is gone.
func (p *Plane) RestartAPIServer(ctx context.Context) error {
	if err := p.KillAPIServer(); err != nil {
		return err
	}
	return p.sameAgain(ctx)
}

// sameAgain starts an API server on the port of the one before. Somebody's
// outgoing connection may have that for a moment.
func (p *Plane) sameAgain(ctx context.Context) error {
	const tries = 20
	again := time.NewTicker(500 * time.Millisecond)
	defer again.Stop()
	for try := 1; ; try++ {
		err := p.runAPIServer(ctx)
		if try == tries || !errors.Is(err, errPortTaken) {
			return err
		}
		if killed := p.KillAPIServer(); killed != nil {
			return errors.Join(err, killed)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return err
		}
	}
}
