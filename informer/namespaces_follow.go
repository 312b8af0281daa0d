package informer

import (
	"errors"
	"fmt"
	"slices"

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
// Possible errors: those of AddEventHandler, and of SetNamespaces if inf has an invalid
// argument or a fixed set. After an error inf is as before.
func FollowNamespaces[T, N rest.Object](inf *SharedInformer[T], namespaces *SharedInformer[N]) (*Registration, error) {
	if err := inf.checkUsable(); err != nil {
		return nil, err
	}
	set, ok := inf.shared.feeds.(*namespaceSet[T])
	if !ok {
		return nil, inf.shared.feeds.setNamespaces(nil)
	}
	known := set.await(func() error {
		state := namespaces.State()
		if state.Source.Err != nil {
			return fmt.Errorf("waiting for the namespaces of the informer %s: %w", state.Name, state.Source.Err)
		}
		return fmt.Errorf("waiting for the namespaces of the informer %s, which has not synced", state.Name)
	})
	registration, err := namespaces.AddEventHandler(&namespaceFollower[N]{
		current: func() []string { return slices.Collect(namespaces.Keys()) },
		covers:  inf.Covers,
		set: func(names []string) {
			err := inf.SetNamespaces(names...)
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
