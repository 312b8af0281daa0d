package informer

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/thinformer/thinformer/deltafifo"
)

// toBeRun is how long a wait takes an informer that does not run for one that
// is about to: in `go informer.Run(ctx); informer.WaitForSync(ctx)` nobody
// knows which call comes first.
const toBeRun = time.Second

// WaitForSync waits until the initial list is in the store. If ctx ends before,
// the error says why there is no list yet: errors.Is and errors.As find both the
// context's error and the source's last failure.
//
// Possible errors: ErrNotRunning if nobody calls Run within a second,
// ErrStopped, that of ctx, what was wrong with the arguments of New. If ctx has
// ended, errors.Is always finds its error.
func (i *SharedInformer[T]) WaitForSync(ctx context.Context) error {
	s := i.shared
	if err := s.wait(ctx, s.queue.Synced()); err != nil {
		return fmt.Errorf("%s: waiting for the first list: %w", s.name, err)
	}
	return nil
}

// WaitForVersion waits until everything that happened up to version is in the
// store. With the version that a write has returned it answers whether one's
// own write has arrived. It says nothing of handlers, which follow at their own
// pace.
//
// A write that the informer is not shown, such as one of another namespace or
// outside its selector, has arrived when the source tells of something later, or
// sends its next bookmark, which servers do about once a minute.
//
// Versions of which no order is known are waited for as they are: one that has
// gone by before does not come again. Between the moment when a server's
// versions go back and the moment when that is noticed, versions of the new
// epoch are compared with those of the old one.
//
// Possible errors: as WaitForSync has; ErrNewEpoch, when the server's versions
// go back meanwhile, as after a restore; ErrNoVersion.
func (i *SharedInformer[T]) WaitForVersion(ctx context.Context, version string) error {
	s := i.shared
	if version == "" {
		return ErrNoVersion
	}
	w := s.versions.add(version)
	defer s.versions.remove(w)
	if reached(s.store.Version(), version) {
		w.tell(nil)
	}
	err := s.wait(ctx, w.told)
	if err == nil {
		err = w.err
	}
	if err != nil {
		return fmt.Errorf("%s: waiting for version %s: %w", s.name, version, err)
	}
	return nil
}

// wait waits until ready is closed.
func (s *shared[T]) wait(ctx context.Context, ready <-chan struct{}) error {
	if s.err != nil {
		return s.err
	}
	if err := s.waitForRun(ctx); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return inVain(ctx, ErrStopped)
	default:
	}
	select {
	case <-ready:
		return nil
	default:
	}
	select {
	case <-ready:
		return nil
	case <-s.ended:
		return inVain(ctx, ErrStopped)
	case <-ctx.Done():
		if last := s.controller.State().Err; last != nil {
			return fmt.Errorf("%w; the last failure: %w", ctx.Err(), last)
		}
		return ctx.Err()
	}
}

// inVain is why a wait was in vain. Where Run has the same context, the end of
// both comes at once, and none of them is to hide the other.
func inVain(ctx context.Context, why error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w; %w", err, why)
	}
	return why
}

func (s *shared[T]) waitForRun(ctx context.Context) error {
	select {
	case <-s.began:
		return nil
	default:
	}
	late := time.NewTimer(toBeRun)
	defer late.Stop()
	select {
	case <-s.began:
		return nil
	case <-late.C:
		return ErrNotRunning
	case <-ctx.Done():
		return inVain(ctx, ErrNotRunning)
	}
}

// versions are who waits for which version, and the epoch that they wait in.
type versions struct {
	epoch atomic.Int64
	// waiting is the length of waiters: while it is 0, nobody takes the lock.
	waiting atomic.Int32

	mu      sync.Mutex
	waiters map[*waiter]struct{}
}

// A waiter waits for one version.
type waiter struct {
	version string
	once    sync.Once
	told    chan struct{}
	// err is written before told is closed.
	err error
}

func (w *waiter) tell(err error) {
	w.once.Do(func() {
		w.err = err
		close(w.told)
	})
}

func (v *versions) add(version string) *waiter {
	w := &waiter{version: version, told: make(chan struct{})}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.waiters == nil {
		v.waiters = map[*waiter]struct{}{}
	}
	v.waiters[w] = struct{}{}
	v.waiting.Add(1)
	return w
}

func (v *versions) remove(w *waiter) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.waiters, w)
	v.waiting.Add(-1)
}

// advance tells those whose version a batch has brought. A version that is
// older than the one before begins a new epoch, in which no one can say what
// the versions of the old one mean. brought says of a version that does not
// compare whether it was in the batch.
func (v *versions) advance(before string, batch deltafifo.Batch, brought func(version string) bool) {
	wentBack := older(batch.Version, before)
	if wentBack {
		v.epoch.Add(1)
	}
	if v.waiting.Load() == 0 {
		return
	}
	ordered := hasOrder(batch.Version)
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range v.waiters {
		switch {
		case wentBack:
			w.tell(ErrNewEpoch)
		case reached(batch.Version, w.version) || !(ordered && hasOrder(w.version)) && brought(w.version):
			w.tell(nil)
		}
	}
}

// reached reports whether a store at version at has everything up to version.
func reached(at, version string) bool {
	order, err := resourceversion.CompareResourceVersion(at, version)
	if err != nil {
		return at == version
	}
	return order >= 0
}

// hasOrder says whether a version has an order to others.
func hasOrder(version string) bool {
	_, err := resourceversion.CompareResourceVersion(version, "1")
	return err == nil
}

func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
