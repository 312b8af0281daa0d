package informer

import (
	"context"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/reflector"
)

// Options configures an informer. The zero value is a working default.
type Options[T any] struct {
	// Name identifies the informer in logs, errors and State. Default: the
	// resource of the source or else T, with namespace and selectors in the syntax
	// of kubectl: "deployments.apps -n shop -l app=web".
	Name string

	// Transform changes an object once before it is stored; false drops the
	// object. It may modify its argument, which is not shared yet. An error or a
	// panic is passed to WatchErrorHandler, and the stored object of that key
	// remains. Key, UID and version are read before the call. Transform must not
	// remove UID and version, since they distinguish changes from repeated events.
	// Default: none.
	Transform func(T) (T, bool, error)

	// Filter reports whether an object is kept. It is called before Transform. A
	// stored object that Filter no longer accepts is deleted. A selector in
	// TweakListOptions or in the source is cheaper, since the server then does not
	// send the other objects. Default: all objects are kept.
	Filter func(T) bool

	// TweakListOptions changes the options of every list and watch, for example to
	// set a label selector. Default: none.
	TweakListOptions func(*metav1.ListOptions)

	// PreferList lists the initial state even if the source can stream it.
	PreferList bool

	// WatchTimeout, IdleTimeout and Backoff are those of [reflector.Options].
	WatchTimeout, IdleTimeout time.Duration
	Backoff                   reflector.Backoff

	// WatchErrorHandler is called with each problem that keeps the store from
	// being up to date: failures of list and watch, most of them a
	// [*reflector.Error], and objects that could not be decoded or transformed. It
	// is called by the goroutine that reads the source, so it must not wait for
	// this informer. An informer of several namespaces reads each one with a
	// goroutine of its own, so calls for different namespaces may overlap. A panic
	// is logged and ends only that call. Default: log the first error of each kind,
	// and after that at most one per minute.
	WatchErrorHandler func(ctx context.Context, err error)

	// Logger is where problems are logged. Default: [slog.Default].
	Logger *slog.Logger

	// MutationGuard is called with a [*MutationError] when code has modified a
	// stored object, which is shared; the error names the object and the field. It
	// is for tests:
	//
	//	MutationGuard: func(err error) { t.Error(err) }
	//
	// The guard keeps a second copy of every object, and compares all objects every
	// second, when they leave the store, for a short time after that, and when Run
	// ends. The function may be called concurrently. Unexported fields are not
	// compared in types that also have visible fields. If a map is modified while
	// the guard reads it, the runtime ends the process: look for the goroutine that
	// writes to it. Default: none, without any cost.
	MutationGuard func(error)

	// Trace observes the events. Default: none.
	Trace *Trace
}
