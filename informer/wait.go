package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/internal/resourceversion"
)

// runGracePeriod is how long a wait waits for the call of Run: in
// `go informer.Run(ctx); informer.WaitForSync(ctx)` either call may be first.
const runGracePeriod = time.Second

// WaitForSync waits until the initial list is in the store. If ctx ends first, the
// error contains the reason: errors.Is and errors.As find both the error of the
// context and the last failure of the source. An informer of several namespaces waits
// for the lists of all namespaces that it covers at the call and until then, except
// those that the server forbids, unless it forbids all of them.
//
// Possible errors: ErrNotRunning if Run is not called within a second, ErrStopped,
// that of ctx, and errors in the arguments of New. If ctx has ended, errors.Is always
// finds its error.
func (i *SharedInformer[T]) WaitForSync(ctx context.Context) error {
	s := i.shared
	covered := s.feeds.all()
	err := s.wait(ctx, nil, s.feeds.synced())
	for n := 0; n < len(covered) && err == nil; n++ {
		err = unlessRemoved(s.wait(ctx, covered[n], covered[n].settledOrSynced()))
	}
	if err != nil {
		return fmt.Errorf("%s: waiting for the first list: %w", s.name, err)
	}
	return nil
}

// WaitForVersion waits until all changes up to version are in the store. With the
// version that a write returned, it waits for that write. It does not wait for
// handlers. An informer of several namespaces waits for each that it covers at the
// call, until the namespace has reached the version or is removed; WaitForVersionIn
// waits for one.
//
// A write that the informer does not receive, such as one in another namespace or
// outside of its selector, counts as stored when the source has sent a later event,
// or its next bookmark, which servers send about once per minute.
//
// Versions that cannot be compared are matched exactly; waiting for one that has
// already passed does not return before ctx ends. Between a reset of the server's
// versions and its detection, versions of the new epoch are compared with versions
// of the old one.
//
// Possible errors: those of WaitForSync; ErrNewEpoch if the server's versions go
// back meanwhile, as after a restore; ErrNoVersion.
func (i *SharedInformer[T]) WaitForVersion(ctx context.Context, version string) error {
	s := i.shared
	if version == "" {
		return ErrNoVersion
	}
	covered, err := s.feeds.all(), error(nil)
	if len(covered) == 0 {
		err = s.wait(ctx, nil, s.feeds.synced())
	} else {
		err = s.waitForVersions(ctx, covered, version, unlessRemoved)
	}
	if err != nil {
		return fmt.Errorf("%s: waiting for version %s: %w", s.name, version, err)
	}
	return nil
}

// waitForVersions waits for a version of some feeds. result returns the result of the wait
// for one feed.
func (s *shared[T]) waitForVersions(ctx context.Context, covered []*feed[T], version string, result func(error) error) (err error) {
	var one [1]*versionWaiter
	waiters := one[:0]
	for _, f := range covered {
		waiters = append(waiters, f.expect(version))
	}
	for n, f := range covered {
		if err == nil {
			err = result(s.waitForVersion(ctx, f, waiters[n]))
		}
		f.waiters.remove(waiters[n])
	}
	return err
}

// WaitForVersionIn is WaitForVersion for the objects of one namespace only.
//
// Possible errors: those of WaitForVersion; ErrNotCovered if the informer does not
// cover the namespace, or if the namespace is removed meanwhile.
func (i *SharedInformer[T]) WaitForVersionIn(ctx context.Context, namespace, version string) error {
	s := i.shared
	f := s.feeds.of(namespace)
	switch {
	case version == "":
		return ErrNoVersion
	case f == nil && s.err == nil:
		return fmt.Errorf("%s: waiting for version %s in namespace %q: %w", s.name, version, namespace, ErrNotCovered)
	case f == nil:
		return s.err
	}
	err := s.waitForVersions(ctx, []*feed[T]{f}, version, func(err error) error { return err })
	if err != nil {
		return fmt.Errorf("%s: waiting for version %s in namespace %q: %w", s.name, version, namespace, err)
	}
	return nil
}

// settledOrSynced returns a channel that is closed when WaitForSync need not wait for the
// feed any more.
func (f *feed[T]) settledOrSynced() <-chan struct{} {
	if f.settled != nil {
		return f.settled.done
	}
	return f.queue.Synced()
}

// unlessRemoved returns nil for the error of a wait for a namespace that was removed.
func unlessRemoved(err error) error {
	if errors.Is(err, ErrNotCovered) {
		return nil
	}
	return err
}

// expect adds a wait for a version of the feed.
func (f *feed[T]) expect(version string) *versionWaiter {
	w := f.waiters.add(version)
	if resourceversion.IsAtLeast(f.version(), version) {
		w.finish(nil)
	}
	return w
}

func (s *shared[T]) waitForVersion(ctx context.Context, f *feed[T], w *versionWaiter) error {
	if err := s.wait(ctx, f, w.done); err != nil {
		return err
	}
	return w.err
}

// wait waits until ready is closed. f is the feed that closes it, or nil if it depends
// on several.
func (s *shared[T]) wait(ctx context.Context, f *feed[T], ready <-chan struct{}) error {
	switch {
	case s.err != nil:
		return s.err
	case ctx == nil:
		return ErrNoContext
	}
	if err := s.waitForRun(ctx); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return withContextErr(ctx, ErrStopped)
	default:
	}
	select {
	case <-ready:
		return nil
	default:
	}
	var removed chan struct{}
	if f != nil {
		removed = f.removed
	}
	select {
	case <-ready:
		return nil
	case <-removed:
		return ErrNotCovered
	case <-s.ended:
		return withContextErr(ctx, ErrStopped)
	case <-ctx.Done():
		if last := s.lastFailure(f); last != nil {
			return fmt.Errorf("%w; last failure: %w", ctx.Err(), last)
		}
		return ctx.Err()
	}
}

// lastFailure returns the last failure of the feed, or of the feed that keeps the
// informer from being up to date if f is nil.
func (s *shared[T]) lastFailure(f *feed[T]) error {
	if f != nil {
		return f.controller.State().Err
	}
	return s.sourceState().Err
}

// withContextErr adds the error of a context that has ended. If Run has the same
// context, both end at the same time, and the error must contain both.
func withContextErr(ctx context.Context, reason error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w; %w", err, reason)
	}
	return reason
}

func (s *shared[T]) waitForRun(ctx context.Context) error {
	select {
	case <-s.started:
		return nil
	default:
	}
	timer := time.NewTimer(runGracePeriod)
	defer timer.Stop()
	select {
	case <-s.started:
		return nil
	case <-timer.C:
		if err := s.check(); err != nil {
			return err
		}
		return ErrNotRunning
	case <-ctx.Done():
		return withContextErr(ctx, ErrNotRunning)
	}
}

// versionWaiters are the waits for versions, and the current epoch.
type versionWaiters struct {
	// begun is the epoch of the last batch that the store has or is about to have, epoch
	// that of the last one that has been processed. While they differ, the store may
	// belong to either.
	begun, epoch atomic.Int64
	// count is the number of waiters. The lock is taken only if it is not 0.
	count atomic.Int32

	mu      sync.Mutex
	waiters map[*versionWaiter]struct{}
}

// A versionWaiter waits for one version.
type versionWaiter struct {
	version string
	once    sync.Once
	done    chan struct{}
	// err is written before done is closed.
	err error
}

func (w *versionWaiter) finish(err error) {
	w.once.Do(func() {
		w.err = err
		close(w.done)
	})
}

func (v *versionWaiters) add(version string) *versionWaiter {
	w := &versionWaiter{version: version, done: make(chan struct{})}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.waiters == nil {
		v.waiters = map[*versionWaiter]struct{}{}
	}
	v.waiters[w] = struct{}{}
	v.count.Add(1)
	return w
}

func (v *versionWaiters) remove(w *versionWaiter) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.waiters, w)
	v.count.Add(-1)
}

// begin returns the epoch that begins or continues with a batch. It is called before the
// store has the batch.
func (v *versionWaiters) begin(before string, batch deltafifo.Batch) int {
	epoch := v.epoch.Load()
	if resourceversion.IsOlder(batch.Version, before) {
		epoch++
		v.begun.Store(epoch)
	}
	return int(epoch)
}

// beginAt sets the first epoch.
func (v *versionWaiters) beginAt(epoch int) {
	v.begun.Store(int64(epoch))
	v.epoch.Store(int64(epoch))
}

// advance ends the waits for the versions that a batch has reached. If the batch has
// begun a new epoch, versions of the old one have no meaning. hasVersion reports whether
// the batch contained a version that cannot be compared.
func (v *versionWaiters) advance(epoch int, batch deltafifo.Batch, hasVersion func(version string) bool) {
	wentBack := int64(epoch) != v.epoch.Load()
	if wentBack {
		v.epoch.Store(int64(epoch))
	}
	if v.count.Load() == 0 {
		return
	}
	ordered := resourceversion.HasOrder(batch.Version)
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range v.waiters {
		switch {
		case wentBack:
			w.finish(ErrNewEpoch)
		case resourceversion.IsAtLeast(batch.Version, w.version) || !(ordered && resourceversion.HasOrder(w.version)) && hasVersion(w.version):
			w.finish(nil)
		}
	}
}
