// The work is done by this file.

package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// InformerSynced reports whether something has synced, such as an informer's
// HasSynced.
type InformerSynced = func() bool

// Polling intervals of WaitForCacheSync. The first one is short because fakes
// in tests sync immediately.
const (
	minPollInterval = time.Millisecond
	maxPollInterval = 100 * time.Millisecond
)

// WaitForCacheSync waits until all cacheSyncs return true, and returns true. If
// stopCh is closed first, it returns false.
func WaitForCacheSync(stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	for pause := minPollInterval; !allSynced(cacheSyncs); pause = min(2*pause, maxPollInterval) {
		timer := time.NewTimer(pause)
		select {
		case <-stopCh:
			timer.Stop()
			return false
		case <-timer.C:
		}
	}
	return true
}

func allSynced(cacheSyncs []InformerSynced) bool {
	for _, synced := range cacheSyncs {
		if !synced() {
			return false
		}
	}
	return true
}

// WaitForNamedCacheSync is WaitForCacheSync that logs the name and the result.
// WaitForNamedCacheSyncWithContext uses the name in the logger of its context.
func WaitForNamedCacheSync(controllerName string, stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	logger := klog.LoggerWithValues(klog.Background(), "controller", controllerName)
	return waitForNamedCacheSync(klog.NewContext(context.Background(), logger), stopCh, cacheSyncs)
}

// WaitForNamedCacheSyncWithContext is WaitForCacheSync that logs the result and
// ends with ctx.
func WaitForNamedCacheSyncWithContext(ctx context.Context, cacheSyncs ...InformerSynced) bool {
	return waitForNamedCacheSync(ctx, ctx.Done(), cacheSyncs)
}

func waitForNamedCacheSync(ctx context.Context, stopCh <-chan struct{}, cacheSyncs []InformerSynced) bool {
	logger := klog.FromContext(ctx)
	logger.Info("Waiting for caches to sync")
	if !WaitForCacheSync(stopCh, cacheSyncs...) {
		utilruntime.HandleErrorWithContext(ctx, nil, "Unable to sync caches")
		return false
	}
	logger.Info("Caches are synced")
	return true
}

// DoneChecker is a named event that happens at most once.
type DoneChecker interface {
	// Name describes the event in logs.
	Name() string
	// Done returns a channel that is closed when the event has happened.
	Done() <-chan struct{}
}

// doneChecker is a DoneChecker with a fixed name and channel.
type doneChecker struct {
	name string
	done <-chan struct{}
}

func (c doneChecker) Name() string { return c.name }

func (c doneChecker) Done() <-chan struct{} { return c.done }

// IsDone reports whether checker is done.
func IsDone(checker DoneChecker) bool { return isClosed(checker.Done()) }

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// WaitFor waits until all checkers are done and returns true. If ctx is done
// first, it returns false. Unless the argument what is empty, WaitFor logs
// which checkers are done and which are not.
func WaitFor(ctx context.Context, what string, checkers ...DoneChecker) bool {
	helper, logger := klog.FromContext(ctx).WithCallStackHelper()
	helper() // logs the line of the caller
	if what == "" {
		logger = klog.Logger{} // discards everything
	}
	logger.Info("Waiting", "for", what)
	waiting := slices.Clone(checkers)
	for len(waiting) > 0 {
		done := nextDone(ctx, waiting)
		if done < 0 {
			break
		}
		logger.Info("Done waiting", "for", what, "instance", waiting[done].Name())
		waiting = slices.Delete(waiting, done, done+1)
	}
	if len(waiting) == 0 {
		return true
	}
	var instances []string
	for _, checker := range waiting {
		instances = append(instances, checker.Name())
	}
	slices.Sort(instances)
	logger.Info("Timed out waiting", "for", what, "cause", context.Cause(ctx), "instances", instances)
	return false
}

// nextDone waits until a checker is done and returns its index, or -1 if ctx is
// done first.
func nextDone(ctx context.Context, waiting []DoneChecker) int {
	cases := make([]reflect.SelectCase, len(waiting)+1)
	for i, checker := range waiting {
		cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(checker.Done())}
	}
	cases[len(waiting)] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())}
	if done, _, _ := reflect.Select(cases); done < len(waiting) {
		return done
	}
	return slices.IndexFunc(waiting, IsDone)
}

// SyncResult is the result of waiting for the informers of a factory.
type SyncResult struct {
	// Err is the reason why the wait ended early; nil if all have synced.
	Err error
	// Synced reports, for the informer of each type, whether it has synced.
	Synced map[reflect.Type]bool
}

// AsError returns an error with the types whose informers have not synced and
// the reason, or nil if all have synced.
func (c SyncResult) AsError() error {
	if c.Err == nil {
		return nil
	}
	var late []string
	for t, synced := range c.Synced {
		if !synced {
			late = append(late, t.String())
		}
	}
	slices.Sort(late)
	return fmt.Errorf("informers have not synced: %s: %w", strings.Join(late, ", "), c.Err)
}
