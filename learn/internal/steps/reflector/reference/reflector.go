// Package reflector keeps a store up to date: step 6 of the course.
package reflector

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// NewReflector returns a Reflector that keeps store equal to source.
func NewReflector(source stack.ListerWatcher, store stack.Store, options stack.ReflectorOptions) stack.Reflector {
	recorded := &versionStore{Store: store}
	return &reflector{source, recorded, options, options.Follow(recorded)}
}

type reflector struct {
	source   stack.ListerWatcher
	store    *versionStore
	options  stack.ReflectorOptions
	follower stack.Follower
}

func (r *reflector) LastVersion() string {
	version, _ := r.store.last.Load().(string)
	return version
}

func (r *reflector) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if r.listAndFollow(ctx) {
			r.options.Backoff.Reset()
			continue
		}
		// Repeated at once, a failure without progress would be an endless loop of lists.
		select {
		case <-time.After(r.options.Backoff.Next()):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// listAndFollow reads the whole state, and follows its changes until going on is
// impossible. It reports whether the watch has made progress.
func (r *reflector) listAndFollow(ctx context.Context) (progress bool) {
	list, err := r.readState(ctx)
	if err != nil {
		return false
	}
	// Only a complete state reaches the store.
	if err := r.store.Replace(list.Items(), list.ResourceVersion); err != nil {
		return false
	}
	version := list.ResourceVersion()
	r.store.last.Store(version)
	last, _ := r.follower.Follow(ctx, version) // for each reason, the next list is the answer
	return last != version
}

func (r *reflector) readState(ctx context.Context) (*rest.List[stack.Object], error) {
	if r.options.Stream {
		list, err := r.stream(ctx)
		if err == nil {
			return list, nil
		}
		r.options.Stream = false // a list works with every server
	}
	// A list without a version is the newest state. One from version "0" may be older than
	// what the store has.
	list, err := r.source.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	// The list may still be arriving. The version is known after its last object.
	objects, err := list.Slice()
	return rest.ListOf(list.ResourceVersion(), objects...), err
}
