package discovery

import (
	"context"
	"errors"
	"fmt"
)

// flight is one asking of the server on behalf of all who wait for it. It ends
// early when nobody does any more.
type flight struct {
	cancel  context.CancelFunc
	waiting int // guarded by the Mapper's mu

	done chan struct{}
	// These are set before done is closed.
	found *catalog
	err   error
}

// join is the flight that is under way, or a new one; its mapper is locked. A
// new one has the values of ctx, for those who trace requests, but not its end.
func (m *Mapper) join(ctx context.Context) *flight {
	if m.flight == nil {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		m.flight = &flight{cancel: cancel, done: make(chan struct{})}
		go m.fly(own, m.flight)
	}
	m.flight.waiting++
	return m.flight
}

// fly ends when the server has answered, or soon after the last has left.
func (m *Mapper) fly(ctx context.Context, f *flight) {
	defer f.cancel()
	defer close(f.done)
	all, err := m.client.everything(ctx)
	if err != nil {
		f.err = err
	} else {
		f.found = newCatalog(all)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.flight != f {
		return // everybody has left, or it was before an Invalidate
	}
	m.flight = nil
	if f.found != nil {
		m.known = f.found
	}
}

// wait is what the flight brings, or the end of ctx. Where both have come the
// error tells of both.
func (m *Mapper) wait(ctx context.Context, f *flight) (*catalog, error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		m.leave(f)
	}
	select {
	case <-f.done:
	default:
		return nil, context.Cause(ctx)
	}
	if ended := context.Cause(ctx); f.err != nil && ended != nil && !errors.Is(f.err, ended) {
		return nil, fmt.Errorf("%w: %w", ended, f.err)
	}
	return f.found, f.err
}

// leave cancels the flight if nobody else waits for it.
func (m *Mapper) leave(f *flight) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		if m.flight == f {
			m.flight = nil // who comes now must not be given a cancelled one
		}
	}
}
