package informer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// The defaults of BodyOptions.
const (
	defaultMaxBodies       = 1000
	defaultMaxBodyBytes    = 64 << 20
	defaultMaxBodyIdle     = 10 * time.Minute
	defaultMaxBodyRequests = 10
)

// BodyOptions configures [Bodies]. The zero value is a working default.
type BodyOptions[T any] struct {
	// Transform changes an object once after it was read, and reports whether it exists
	// for the program. It may modify its argument, which is not shared yet. It is called
	// after the Transform of the factory. An error, or a panic, is returned to the
	// readers of the object. A rejected object is absent for the program. Like an error,
	// that is not kept: each read requests the object again. To exclude objects without
	// a request, use TweakListOptions. Default: none.
	Transform func(T) (T, bool, error)

	// TweakListOptions changes the options of every list and watch of the metadata, for
	// example to set a label selector. Objects that are not listed do not exist for the
	// readers. Default: none.
	TweakListOptions func(*metav1.ListOptions)

	// MaxBodies and MaxBytes bound the bodies that are kept. Beyond them, the bodies
	// that have not been read for the longest time are dropped. The bytes are an
	// estimate of the memory of the decoded objects. A body of more than MaxBytes is
	// returned and not kept. 0 is 1000 and 64 MiB; negative is without bound.
	MaxBodies int
	MaxBytes  int64

	// MaxIdle is how long a body is kept after it was last read. 0 is 10 minutes;
	// negative is without bound.
	MaxIdle time.Duration

	// MaxRequests is the number of concurrent requests for bodies. Further ones wait.
	// 0 is 10; negative is without bound.
	MaxRequests int
}

func (o BodyOptions[T]) limits() bodyLimits { return bodyLimits{o.MaxBodies, o.MaxBytes, o.MaxIdle} }

// withDefaults returns the options combined with those of the factory, with all limits
// set.
func (o BodyOptions[T]) withDefaults(f *Factory) BodyOptions[T] {
	setDefault(&o.MaxBodies, defaultMaxBodies)
	setDefault(&o.MaxBytes, defaultMaxBodyBytes)
	setDefault(&o.MaxIdle, defaultMaxBodyIdle)
	setDefault(&o.MaxRequests, defaultMaxBodyRequests)
	if f == nil || f.options.Transform == nil {
		return o
	}
	own := o.Transform
	o.Transform = func(obj T) (T, bool, error) {
		keep, err := f.options.Transform(any(obj).(rest.Object))
		if err != nil || !keep || own == nil {
			return obj, keep, err
		}
		return own(obj)
	}
	return o
}

func setDefault[N int | int64 | time.Duration](value *N, byDefault N) {
	if *value == 0 {
		*value = byDefault
	}
}
