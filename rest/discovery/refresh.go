package discovery

import (
	"context"
	"errors"
	"fmt"
)

// refresh is one discovery, shared by all callers that wait for it. It is cancelled
// when no caller waits for it any longer.
type refresh struct {
	cancel  context.CancelFunc
	waiters int // guarded by the Mapper's mu

	done chan struct{}
	// These are set before done is closed.
	index *resourceIndex
	err   error
}

// joinRefresh returns the running refresh, or starts one. The caller holds m.mu. A
// new refresh has the values of ctx, for tracing, but not its cancellation.
func (m *Mapper) joinRefresh(ctx context.Context) *refresh {
	if m.refresh == nil {
		refreshCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		m.refresh = &refresh{cancel: cancel, done: make(chan struct{})}
		go m.runRefresh(refreshCtx, m.refresh)
	}
	m.refresh.waiters++
	return m.refresh
}

// runRefresh returns when discovery has ended, or soon after the last caller has
// left.
func (m *Mapper) runRefresh(ctx context.Context, r *refresh) {
	defer r.cancel()
	defer close(r.done)
	resources, err := m.client.fetchAll(ctx)
	if err != nil {
		r.err = err
	} else {
		r.index = newResourceIndex(resources)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refresh != r {
		return // all callers have left, or Invalidate was called
	}
	m.refresh = nil
	if r.index != nil {
		m.index = r.index
	}
}

// waitFor returns the result of the refresh, or the cause if ctx ends first. If the
// refresh has failed and ctx has ended, the error wraps both.
func (m *Mapper) waitFor(ctx context.Context, r *refresh) (*resourceIndex, error) {
	select {
	case <-r.done:
	case <-ctx.Done():
		m.leaveRefresh(r)
	}
	select {
	case <-r.done:
	default:
		return nil, context.Cause(ctx)
	}
	if ended := context.Cause(ctx); r.err != nil && ended != nil && !errors.Is(r.err, ended) {
		return nil, fmt.Errorf("%w: %w", ended, r.err)
	}
	return r.index, r.err
}

// leaveRefresh cancels the refresh if no other caller waits for it.
func (m *Mapper) leaveRefresh(r *refresh) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.waiters--; r.waiters == 0 {
		r.cancel()
		if m.refresh == r {
			m.refresh = nil // a new caller must not join a cancelled refresh
		}
	}
}
