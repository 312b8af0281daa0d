package controller

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/thinformer/thinformer/informer"
)

// Events tell of the objects that an informer shows, and only of changes. What it
// is not shown, since a selector, a filter or a transform leaves it out, is seen
// when the informer's version has passed. One goroutine for each informer waits
// for that, as long as there is anything to wait for.

// farOff is a version that no server gets to: who waits for it hears that a new
// epoch has begun, or that the informer has stopped.
const farOff = "99999999999999999999"

// follow sees to it that the informers of these waits are followed.
func (g *gate) follow(waits []*wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range waits {
		p := w.place
		switch {
		case g.stopped || w.over:
		case !p.following:
			p.following = true
			g.work.Add(1)
			go g.followPlace(p)
		case p.again != nil && len(p.byVersion) > 0 && !atLeast(p.byVersion[0].version(), p.until):
			p.again() // an earlier one than it waits for
		}
	}
}

func (g *gate) followPlace(p *place) {
	defer g.work.Done()
	for {
		ctx, version := g.nextVersion(p)
		if ctx == nil {
			return
		}
		err := p.inf.WaitForVersion(ctx, version)
		switch {
		case err == nil:
			g.passed(p, version)
		case ctx.Err() != nil: // there is an earlier one, or all ends
		case errors.Is(err, informer.ErrNewEpoch):
			g.newEpoch(p)
		default: // it has stopped, and the run ends for that: what is held stays so
			return
		}
	}
}

// nextVersion is what to wait for now, and a context that ends when that
// changes: nil if there is nothing left to wait for.
func (g *gate) nextVersion(p *place) (ctx context.Context, version string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.again != nil {
		p.again()
		p.again = nil
	}
	if g.stopped || len(p.byKey) == 0 {
		p.following = false
		return nil, ""
	}
	p.until = farOff
	if len(p.byVersion) > 0 {
		p.until = p.byVersion[0].version()
	}
	ctx, p.again = context.WithCancel(g.ctx)
	return ctx, p.until
}

// passed: the informer has seen all up to a version.
func (g *gate) passed(p *place, version string) {
	g.mu.Lock()
	waits := p.upTo(version)
	g.mu.Unlock()
	g.check(waits)
}

// newEpoch: the server's versions have gone back. What was written before may be
// gone, and no version says so.
func (g *gate) newEpoch(p *place) {
	g.mu.Lock()
	waits := slices.Concat(slices.Collect(maps.Values(p.byKey))...)
	g.mu.Unlock()
	g.check(waits)
}
