package controller

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/resourceversion"
)

// Events report only changes of the objects that an informer stores. An object that a
// selector, a filter or a transform excludes counts as observed when the informer's
// version has passed the written one. While there are waits, one goroutine for each
// informer waits for that version.

// unreachableVersion is a version that no server reaches. A wait for it ends when a
// new epoch begins or the informer stops.
const unreachableVersion = "99999999999999999999"

// followInformers starts a goroutine for each informer of the waits that has none.
func (g *gate) followInformers(waits []*wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range waits {
		p := w.informer
		switch {
		case g.stopped || w.done:
		case !p.following:
			p.following = true
			g.wg.Add(1)
			go g.followInformer(p)
		case p.cancelWait != nil && len(p.byVersion) > 0 && !resourceversion.IsAtLeast(p.byVersion[0].version(), p.awaited):
			p.cancelWait() // restart with the earlier version
		}
	}
}

func (g *gate) followInformer(p *trackedInformer) {
	defer g.wg.Done()
	for {
		ctx, version := g.nextVersion(p)
		if ctx == nil {
			return
		}
		err := p.shared.WaitForVersion(ctx, version)
		switch {
		case err == nil:
			g.versionReached(p, version)
		case ctx.Err() != nil: // canceled by an earlier version, or by stop
		case errors.Is(err, informer.ErrNewEpoch):
			g.newEpoch(p)
		default: // the informer has stopped, which ends the run; held keys stay held
			return
		}
	}
}

// nextVersion returns the version to wait for, and a context that ends when that
// version changes. The context is nil if there are no waits.
func (g *gate) nextVersion(p *trackedInformer) (ctx context.Context, version string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.cancelWait != nil {
		p.cancelWait()
		p.cancelWait = nil
	}
	if g.stopped || len(p.byKey) == 0 {
		p.following = false
		return nil, ""
	}
	p.awaited = unreachableVersion
	if len(p.byVersion) > 0 {
		p.awaited = p.byVersion[0].version()
	}
	ctx, p.cancelWait = context.WithCancel(g.ctx)
	return ctx, p.awaited
}

// versionReached checks the waits up to a version that the informer has reached.
func (g *gate) versionReached(p *trackedInformer, version string) {
	g.mu.Lock()
	waits := p.popUpTo(version)
	g.mu.Unlock()
	g.check(waits)
}

// newEpoch checks all waits of an informer after the server's versions have gone back.
// Earlier writes may be lost, and no version would show it.
func (g *gate) newEpoch(p *trackedInformer) {
	g.mu.Lock()
	waits := slices.Concat(slices.Collect(maps.Values(p.byKey))...)
	g.mu.Unlock()
	g.check(waits)
}
