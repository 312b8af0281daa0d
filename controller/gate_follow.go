package controller

import (
	"context"
	"errors"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/resourceversion"
)

// Events report only changes of the objects that an informer stores. An object that a
// selector, a filter or a transform excludes counts as observed when the informer's
// version has passed the written one. While there are waits, one goroutine for each
// informer waits for that version, or one for each namespace of an informer of several
// namespaces.

// unreachableVersion is a version that no server reaches. A wait for it ends when a
// new epoch begins or the informer stops.
const unreachableVersion = "99999999999999999999"

// followInformers starts a goroutine for each follower of the waits that has none.
func (g *gate) followInformers(waits []*wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range waits {
		if g.stopped || w.done {
			continue
		}
		f := w.informer.followerOf(w)
		switch {
		case !f.following:
			f.following = true
			g.wg.Add(1)
			go g.follow(f)
		case f.cancelWait != nil && len(f.byVersion) > 0 && !resourceversion.IsAtLeast(f.byVersion[0].version(), f.awaited):
			f.cancelWait() // restart with the earlier version
		}
	}
}

func (g *gate) follow(f *follower) {
	defer g.wg.Done()
	for {
		ctx, version := g.nextVersion(f)
		if ctx == nil {
			return
		}
		err := f.waitForVersion(ctx, version)
		switch {
		case err == nil:
			g.versionReached(f, version)
		case ctx.Err() != nil: // canceled by an earlier version, or by stop
		case errors.Is(err, informer.ErrNewEpoch), errors.Is(err, informer.ErrNotCovered):
			g.newEpoch(f)
		default: // the informer has stopped, which ends the run; held keys stay held
			return
		}
	}
}

// nextVersion returns the version to wait for, and a context that ends when that
// version changes. The context is nil if there are no waits.
func (g *gate) nextVersion(f *follower) (ctx context.Context, version string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.cancelWait != nil {
		f.cancelWait()
		f.cancelWait = nil
	}
	if g.stopped || f.waiting == 0 {
		f.following = false
		if f.waiting == 0 {
			delete(f.informer.followers, f.namespace)
		}
		return nil, ""
	}
	f.awaited = unreachableVersion
	if len(f.byVersion) > 0 {
		f.awaited = f.byVersion[0].version()
	}
	ctx, f.cancelWait = context.WithCancel(g.ctx)
	return ctx, f.awaited
}

// versionReached checks the waits up to a version that the informer has reached.
func (g *gate) versionReached(f *follower, version string) {
	g.mu.Lock()
	waits := f.popUpTo(version)
	g.mu.Unlock()
	g.check(waits)
}

// newEpoch checks all waits of a follower after the server's versions have gone back, or
// after the namespace was removed from the informer. Earlier writes may be lost, and no
// version would show it.
func (g *gate) newEpoch(f *follower) {
	g.mu.Lock()
	var waits []*wait
	for _, ofKey := range f.informer.byKey {
		for _, w := range ofKey {
			if f.namespace == "" || w.written.Namespace == f.namespace {
				waits = append(waits, w)
			}
		}
	}
	g.mu.Unlock()
	g.check(waits)
}
