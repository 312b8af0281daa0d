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
	// Name is what logs, errors and State call the informer. Default: the
	// source's resource, such as deployments.apps, else T.
	Name string

	// Transform changes an object before it is stored, once, or says by false
	// that it is not to be kept. It may change what it is given; no one else has
	// it yet. An error or a panic goes to WatchErrorHandler, and what was stored
	// under the key stays. Key, UID and version are read before it; do not take
	// UID and version away, by them changes are told from repetitions. Default:
	// none.
	Transform func(T) (T, bool, error)

	// Filter says which objects are kept, before Transform. What it comes to
	// refuse is deleted. A selector in Tweak or in the source is cheaper: then
	// the server does not send the others. Default: all are kept.
	Filter func(T) bool

	// Tweak changes the options of every list and watch, such as a label
	// selector. Default: none.
	Tweak func(*metav1.ListOptions)

	// PreferList: list, even where the source could stream its initial state.
	PreferList bool

	// WatchTimeout, Silence and Backoff are those of [reflector.Options].
	WatchTimeout, Silence time.Duration
	Backoff               reflector.Backoff

	// WatchErrorHandler hears of whatever keeps the store from being up to date:
	// failures of list and watch, most of them a [*reflector.Error], and objects
	// that could not be decoded or transformed. It is called by the goroutine
	// that reads the source, which waits meanwhile: it must not wait for this
	// informer. Default: the first of a
	// kind is logged, and after that one a minute at most.
	WatchErrorHandler func(ctx context.Context, err error)

	// Logger is where problems are logged. Default: [slog.Default].
	Logger *slog.Logger

	// MutationGuard is told when somebody has changed a stored object, which all
	// share: a [*MutationError] names the object and the field. It is for tests:
	//
	//	MutationGuard: func(err error) { t.Error(err) }
	//
	// There is a second copy of every object then, and all are compared every
	// second, when they leave the store and a little later, and when Run ends.
	// It may be called by several goroutines at once. What a type hides beside
	// fields that it shows is not compared. A map that is being changed while it
	// is looked at ends the process, as the runtime has it: look for who wrote to
	// it. Default: nobody, and that costs nothing.
	MutationGuard func(error)

	// Trace is told of each event's way. Default: nobody.
	Trace *Trace
}
