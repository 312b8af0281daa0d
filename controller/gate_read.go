package controller

import (
	"context"
	"fmt"
	"time"
)

const (
	// readTimeout is how long a tracked read waits for the writes of its reconcile, if
	// WriteTimeout is not shorter. A reconcile occupies its worker meanwhile.
	readTimeout = 10 * time.Second
	// readQueryDelay is the delay before the server is asked whether the informer's
	// selectors exclude the written objects.
	readQueryDelay = time.Second
)

// waitForRead waits until an informer has observed what the reconcile has written so
// far. The error is that of ctx or a *StaleError.
func (g *gate) waitForRead(ctx context.Context, job *reconcileContext, p *trackedInformer) error {
	waits := g.newReadWaits(job, p)
	if len(waits) == 0 {
		return nil
	}
	defer g.endReadWaits(waits)
	began := time.Now()
	timeout := time.NewTimer(min(readTimeout, g.run.c.options.WriteTimeout))
	defer timeout.Stop()
	defer g.queryLater(waits)()
	for len(waits) > 0 {
		select {
		case <-waits[0].arrived:
			waits = waits[1:]
		case <-ctx.Done():
			return fmt.Errorf("%w while a read waits: %w", ctx.Err(), g.staleRead(job, waits[0], began))
		case <-timeout.C:
			return g.staleRead(job, waits[0], began)
		}
	}
	return nil
}

// queryLater asks the server about the waits after readQueryDelay. The wait for the
// response does not delay the read. end ends the query and returns when it has ended.
func (g *gate) queryLater(waits []*wait) (end func()) {
	ctx, cancel := context.WithCancel(g.ctx)
	ended := make(chan struct{})
	timer := time.AfterFunc(readQueryDelay, func() {
		defer close(ended)
		g.query(ctx, waits)
	})
	return func() {
		cancel()
		if !timer.Stop() {
			<-ended
		}
	}
}

// newReadWaits returns waits for what the informer has not observed. They are
// registered.
func (g *gate) newReadWaits(job *reconcileContext, p *trackedInformer) []*wait {
	job.mu.Lock()
	var waits []*wait
	for _, w := range job.waits {
		if w.informer == p {
			waits = append(waits, w.copyFor(p))
		}
	}
	job.mu.Unlock()
	late := waits[:0]
	for _, w := range waits {
		if !w.seen() {
			w.arrived = make(chan struct{})
			late = append(late, w)
		}
	}
	if len(late) == 0 {
		return nil
	}
	g.mu.Lock()
	for _, w := range late {
		p.add(w)
	}
	g.mu.Unlock()
	g.check(late)
	g.followInformers(late)
	return late
}

// endReadWaits removes the waits that have not ended.
func (g *gate) endReadWaits(waits []*wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range waits {
		if !w.done {
			w.done = true
			w.informer.remove(w)
		}
	}
}

// staleRead returns the error of a read.
func (g *gate) staleRead(job *reconcileContext, w *wait, began time.Time) *StaleError {
	state := w.informer.shared.State()
	g.mu.Lock()
	defer g.mu.Unlock()
	return &StaleError{
		Controller: g.run.c.name, Request: job.request, Write: w.written,
		Informer: state.Name, Version: state.Version, Waited: time.Since(began), Err: state.Source.Err,
		Listed: w.listed, QueryErr: w.queryErr,
	}
}
