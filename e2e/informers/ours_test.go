package informers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// ours is an informer of this library, without the type of its objects.
type ours interface {
	informer.AnyInformer
	Run(context.Context) error
	WaitForSync(context.Context) error
	WaitForVersion(ctx context.Context, version string) error
	stored() map[string]rest.Object
	get(key string) objectState
	notifications() *history
	failures() string
}

type ourInformer[T rest.Object] struct {
	*informer.SharedInformer[T]
	history *history

	mu     sync.Mutex
	failed map[string]int
}

func newOurs[T rest.Object](client *rest.Client, k *kind, v view) (ours, error) {
	i := &ourInformer[T]{history: newHistory(), failed: map[string]int{}}
	i.SharedInformer = informer.New(rest.NewView[T](client, k.ResourceInfo).Namespace(namespace), informer.Options[T]{
		TweakListOptions:  func(o *metav1.ListOptions) { o.LabelSelector = v.selector() },
		PreferList:        v.lists,
		Backoff:           reflector.Backoff{Base: 20 * time.Millisecond, Max: time.Second},
		WatchErrorHandler: i.note,
		Logger:            slog.New(slog.DiscardHandler),
	})
	_, err := i.AddEventHandler(informer.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(o T, initial bool) { i.history.add(o, initial) },
		UpdateFunc: func(old, o T) { i.history.update(old, o) },
		DeleteFunc: func(o T, unknown bool) { i.history.remove(o, unknown) },
	}, informer.HandlerOptions{})
	return i, err
}

func (i *ourInformer[T]) note(_ context.Context, err error) {
	// An error without a reason of its own is shown itself.
	reason := err.Error()
	if failed := (*reflector.Error)(nil); errors.As(err, &failed) && failed.Reason != reflector.ReasonOther {
		reason = string(failed.Reason)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.failed[reason]++
}

// failures returns the reported failures by their reasons.
func (i *ourInformer[T]) failures() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var all []string
	for reason, n := range i.failed {
		all = append(all, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (i *ourInformer[T]) stored() map[string]rest.Object {
	all := map[string]rest.Object{}
	for o := range i.All() {
		all[keyOf(o)] = o
	}
	return all
}

func (i *ourInformer[T]) get(key string) objectState {
	if o, ok := i.Get(key); ok {
		return stateOf(o)
	}
	return objectState{}
}

func (i *ourInformer[T]) notifications() *history { return i.history }
