package cache

import (
	"context"
	"reflect"
	"slices"

	"k8s.io/klog/v2"
)

// DoneChecker is something that is done at some time, once, by a name.
type DoneChecker interface {
	// Name says what it is, to humans.
	Name() string
	// Done is closed when it is done.
	Done() <-chan struct{}
}

// doneChecker is a channel with a name.
type doneChecker struct {
	name string
	done <-chan struct{}
}

func (c doneChecker) Name() string          { return c.name }
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

// WaitFor waits until all checkers are done, and returns true; or false when ctx
// is done and one of them is not. If what is not empty, it logs who is done as
// they come, and who was not.
func WaitFor(ctx context.Context, what string, checkers ...DoneChecker) bool {
	logger := klog.FromContext(ctx)
	if what == "" {
		logger = klog.Logger{} // which logs nothing
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

// nextDone waits for one that is done; -1 if ctx is done and none of them is.
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
