package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

const (
	// maxQueries is the number of concurrent queries of a controller. queryTimeout is
	// the time limit for all queries of one key, including the wait for the semaphore.
	maxQueries   = 4
	queryTimeout = 5 * time.Second
	// earlyQueryDelay is the delay before the server is asked about an object that was
	// excluded before, if WriteTimeout is not shorter. In most cases the informer
	// passes the version sooner and no request is sent.
	earlyQueryDelay = time.Second
	// maxLeftOut limits the remembered objects of each informer.
	maxLeftOut = 4096
)

// query asks the server about objects that were not observed within WriteTimeout: an
// informer whose selectors exclude an object never receives it. If a list with the
// informer's selectors includes the object, the informer is late. If not, it suffices
// that the store does not have the object. If the server does not respond, the key
// continues to wait, and the next query follows after another WriteTimeout.
func (g *gate) query(ctx context.Context, waits []*wait) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	for _, w := range waits {
		version := g.versionToQuery(w)
		if version == "" {
			continue
		}
		listed, err := g.listedByServer(ctx, w, version)
		g.mu.Lock()
		w.listed, w.queryErr = listed, err
		if err == nil {
			w.informer.recordAnswer(w.key, w.uid, !listed)
		}
		g.mu.Unlock()
		if err == nil && !listed {
			w.unlisted.Store(true)
			g.check([]*wait{w})
		}
	}
}

// queryEarly asks about the objects that were excluded before. An earlier response does
// not apply to a later write, which may have changed a selected field. So the server
// is asked again for each write, but without waiting for WriteTimeout.
func (g *gate) queryEarly(h *heldKey) {
	waits := slices.DeleteFunc(g.waitsOf(h), func(w *wait) bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return !w.wasLeftOut()
	})
	g.query(g.ctx, waits)
	g.mu.Lock()
	defer g.mu.Unlock()
	h.early = false
	g.resetTimer(h, g.run.c.options.WriteTimeout-time.Since(h.since))
}

// wasLeftOut reports whether the last query for the object found that the informer's
// selectors exclude it. gate.mu is held.
func (w *wait) wasLeftOut() bool {
	uid, known := w.informer.leftOut[w.key]
	return known && uid == w.uid
}

// recordAnswer stores the result of a query. gate.mu is held.
func (p *trackedInformer) recordAnswer(key string, uid types.UID, leftOut bool) {
	switch {
	case !leftOut || uid == "":
		delete(p.leftOut, key)
		return
	case p.leftOut == nil || len(p.leftOut) >= maxLeftOut:
		p.leftOut = map[string]types.UID{}
	}
	p.leftOut[key] = uid
}

// versionToQuery returns the version to ask the server for, "" if no query is needed:
// its result is known or would make no difference.
func (g *gate) versionToQuery(w *wait) (version string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	version = w.written.ResourceVersion
	if w.kind == untilDeleted {
		version = w.after
	}
	if w.done || w.listed || w.unlisted.Load() || !resourceversion.HasOrder(version) {
		return ""
	}
	return version
}

func (g *gate) listedByServer(ctx context.Context, w *wait, version string) (listed bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the query panicked: %v", p)
		}
	}()
	select {
	case g.queries <- struct{}{}:
		defer func() { <-g.queries }()
	case <-ctx.Done():
		return false, fmt.Errorf("waiting for %d queries of other keys: %w", maxQueries, ctx.Err())
	}
	return w.informer.shared.ListedByServer(ctx, w.written.Namespace, w.written.Name, version)
}
