package cache

import (
	"fmt"
	"math"
	"path"
	"reflect"
	"runtime"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/thinformer/thinformer/reflector"
)

// ReflectorOptions configures a Reflector. The zero value is a working default.
type ReflectorOptions struct {
	// Logger is where failures are logged. Default: that of the context in which
	// the Reflector first runs.
	Logger *klog.Logger
	// Name is what logs call the Reflector. Default: the place in the source
	// where it was made.
	Name string
	// TypeDescription is what logs call its objects. Default: their kind, if an
	// Unstructured is expected that says it, else their Go type.
	TypeDescription string
	// ResyncPeriod is how often the store's Resync is called. Default: never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is how long the server is asked to keep a watch open, at
	// least; twice as long at the most. Default, and the least: 5 minutes.
	MinWatchTimeout time.Duration
	// Clock is not used: tests have testing/synctest, where all time is fake.
	Clock clock.Clock
	// Backoff is how long to wait after a failure: Duration at first, Factor
	// times as long after each further one, Cap at the most, or what Steps lead
	// to where that is 0; each lengthened by up to Jitter of itself. Default:
	// 800 ms, doubled up to 30 s, lengthened by up to as much again.
	Backoff *wait.Backoff
}

const leastWatchTimeout = 5 * time.Minute

func watchTimeout(least time.Duration) time.Duration { return max(least, leastWatchTimeout) }

// backoffOf is a backoff as the room beneath knows it.
func backoffOf(b *wait.Backoff) reflector.Backoff {
	if b == nil {
		return reflector.Backoff{}
	}
	own := reflector.Backoff{Base: b.Duration, Max: b.Cap, Factor: max(b.Factor, 1), Jitter: b.Jitter}
	if own.Jitter == 0 {
		own.Jitter = -1
	}
	if own.Max <= 0 {
		steps := float64(max(b.Steps-1, 0))
		own.Max = time.Duration(min(float64(b.Duration)*math.Pow(own.Factor, steps), float64(math.MaxInt64/4)))
	}
	return own
}

// typeDescriptionOf says what objects like example are.
func typeDescriptionOf(example any) string {
	if u, ok := example.(*unstructured.Unstructured); ok && u != nil && !u.GroupVersionKind().Empty() {
		return u.GroupVersionKind().String()
	}
	if example == nil {
		return "<unspecified>"
	}
	return reflect.TypeOf(example).String()
}

// callerOutside is the place that has called into this package, as
// package/file:line.
func callerOutside() string {
	var counters [32]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters[:])])
	own := reflect.TypeFor[Reflector]().PkgPath() + "."
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, own) {
			return fmt.Sprintf("%s/%s:%d", packageOf(frame.Function), path.Base(frame.File), frame.Line)
		}
		if !more {
			return "reflector"
		}
	}
}

// packageOf is the package of a function: what comes before the first dot after
// the last slash.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	if dot := strings.IndexByte(function[slash:], '.'); dot >= 0 {
		return function[:slash+dot]
	}
	return function
}
