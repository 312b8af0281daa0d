package informer

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/thinformer/thinformer/rest"
)

// FollowNamespaces keeps the namespaces of inf, an informer that [ForNamespaces]
// returned, equal to the names of the objects of namespaces, an informer of Namespace
// objects. A label selector in the TweakListOptions of the latter selects them: a
// namespace whose labels no longer match leaves the set.
//
// Call it before inf runs. Then inf is synced only when namespaces has synced and inf has
// the lists of all of them; until then the State of inf has the reason. Both informers
// must run. The Registration is the handler of namespaces; after its Remove the set stays
// as it is. If namespaces has not synced by then, SetNamespaces ends the wait.
//
// If the names of the objects are not names of namespaces, the error of SetNamespaces is
// logged, and inf does not sync.
//
// Possible errors: those of AddEventHandler; errors in the arguments of inf; ErrNoNamespace
// if ForNamespaces did not return inf; and an error if an argument is nil, or if the
// objects of namespaces are namespaced. After an error inf is as before.
func FollowNamespaces[T, N rest.Object](inf *SharedInformer[T], namespaces *SharedInformer[N]) (*Registration, error) {
	if inf == nil || namespaces == nil {
		return nil, errNilFollow
	}
	if err := inf.checkUsable(); err != nil {
		return nil, err
	}
	set, ok := inf.shared.feeds.(*namespaceSet[T])
	if !ok {
		return nil, inf.shared.feeds.setNamespaces(nil)
	}
	if info := namespaces.ResourceInfo(); info.Namespaced {
		return nil, fmt.Errorf("%w: %s was to follow %s, whose objects are namespaced", errNoNamespaces, inf.shared.name, namespaces.shared.name)
	}
	followed := &followedNamespaces{informer: namespaces}
	known := set.await(followed.pendingReason)
	registration, err := namespaces.AddEventHandler(&namespaceFollower[N]{
		current: func() []string { return slices.Collect(namespaces.Keys()) },
		covers:  inf.Covers,
		set: func(names []string) {
			err := inf.SetNamespaces(names...)
			followed.failed.Store(&err)
			if err != nil && !errors.Is(err, ErrStopped) && !errors.Is(err, ErrReleased) {
				inf.shared.options.Logger.Error("Failed to follow the namespaces of another informer", "informer", inf.shared.name, "err", err)
			}
		},
	}, HandlerOptions{Name: "namespaces of " + inf.shared.name})
	if err != nil {
		known()
	}
	return registration, err
}

// followedNamespaces is the informer whose objects are the namespaces of another one.
type followedNamespaces struct {
	informer AnyInformer
	// failed has the result of the last SetNamespaces.
	failed atomic.Pointer[error]
}

// pendingReason returns why the namespaces are not known.
func (f *followedNamespaces) pendingReason() error {
	state := f.informer.State()
	err := state.Source.Err
	if failed := f.failed.Load(); failed != nil && *failed != nil {
		err = *failed
	}
	if err != nil {
		return fmt.Errorf("waiting for the namespaces of the informer %s: %w", state.Name, err)
	}
	return fmt.Errorf("waiting for the namespaces of the informer %s, which has not synced", state.Name)
}

// await declares that the set is not known yet. If the informer has synced, that has no
// effect. known revokes it, unless the set has become known meanwhile.
func (n *namespaceSet[T]) await(reason func() error) (known func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before, now := n.pending, &reason
	n.pending = now
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.pending == now {
			n.pending = before
			n.wake()
		}
	}
}

// namespaceFollower is the handler of an informer of Namespaces.
type namespaceFollower[N any] struct {
	current func() []string
	covers  func(namespace string) bool
	set     func([]string)
	// synced: the initial list has been delivered.
	synced bool
}

// onSynced is called after the initial list, also if it is empty.
func (f *namespaceFollower[N]) onSynced() {
	f.synced = true
	f.set(f.current())
}

func (f *namespaceFollower[N]) OnAdd(obj N, _ bool) {
	named, ok := any(obj).(rest.Object)
	if f.synced && ok && !f.covers(named.GetName()) {
		f.set(f.current())
	}
}

func (f *namespaceFollower[N]) OnUpdate(_, _ N) {}

func (f *namespaceFollower[N]) OnDelete(N, bool) {
	if f.synced {
		f.set(f.current())
	}
}
