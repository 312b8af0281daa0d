package plane

import (
	"context"
	"errors"
	"time"
)

// KillAPIServer kills the API server: connections break, and its port refuses new ones.
// etcd continues to run.
//
// KillAPIServer and RestartAPIServer are not safe for concurrent use with other methods of
// the plane. Clients with a URL or a Config of it may run concurrently.
func (p *Plane) KillAPIServer() error {
	p.apiserver.kill()
	// Another process may get its number from now on.
	return p.guard.watchOnly(p.etcd)
}

// RestartAPIServer kills the API server if it runs, starts another one at the same URL and
// returns when it is ready. A channel that Ended returned before is of the previous API
// server.
func (p *Plane) RestartAPIServer(ctx context.Context) error {
	if err := p.KillAPIServer(); err != nil {
		return err
	}
	return p.runOnSamePort(ctx)
}

// runOnSamePort starts an API server on the port of the previous one. An outgoing
// connection of another process may have the port for a moment.
func (p *Plane) runOnSamePort(ctx context.Context) error {
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
