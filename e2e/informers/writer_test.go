package informers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/rest"
)

// writer does what a plan says, over connections that nobody breaks, and takes
// down what came of it.
type writer struct {
	client *rest.Client

	mu  sync.Mutex
	log map[*kind][]written // of one key in order
}

// written is a state that the server has made of an object: gone if sight is
// zero.
type written struct {
	key string
	sight
	selected bool
}

func newWriter(client *rest.Client) *writer {
	return &writer{client: client, log: map[*kind][]written{}}
}

// round does writes at once, and returns when all are done.
func (w *writer) round(ctx context.Context, writes []write) error {
	failed := make([]error, len(writes))
	var all sync.WaitGroup
	for i, one := range writes {
		all.Go(func() {
			if err := w.do(ctx, one); err != nil {
				failed[i] = fmt.Errorf("%s %s %s: %w", one.action, one.kind.Resource, one.name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func (w *writer) do(ctx context.Context, one write) error {
	if one.action == recreate {
		gone := one
		gone.action = drop
		if err := w.do(ctx, gone); err != nil {
			return err
		}
		one.action = create
	}
	left, err := w.ask(ctx, one)
	if err != nil {
		return err
	}
	came := written{key: namespace + "/" + one.name}
	if left != nil {
		came.sight, came.selected = seen(left), left.GetLabels()[selectedLabel] == "yes"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log[one.kind] = append(w.log[one.kind], came)
	return nil
}

// ask has the server do one thing, and returns what is left then, nil if the
// object is gone.
func (w *writer) ask(ctx context.Context, one write) (left *unstructured.Unstructured, err error) {
	resource := rest.NewResource[*unstructured.Unstructured](w.client, one.kind.ResourceInfo).Namespace(namespace)
	patch := func(with map[string]any) (*unstructured.Unstructured, error) {
		text, err := json.Marshal(with)
		if err != nil {
			return nil, err
		}
		return resource.Patch(ctx, one.name, types.MergePatchType, text, metav1.PatchOptions{})
	}
	switch one.action {
	case create:
		object, err := newObject(one)
		if err != nil {
			return nil, err
		}
		return resource.Create(ctx, object, metav1.CreateOptions{})
	case flip:
		return patch(map[string]any{"metadata": map[string]any{"labels": labelsOf(one)}})
	case release:
		// What that returns was never stored: the server deletes instead.
		_, err := patch(map[string]any{"metadata": map[string]any{"finalizers": nil}})
		return nil, err
	case drop:
		if err := resource.Delete(ctx, one.name, metav1.DeleteOptions{}); err != nil {
			return nil, err
		}
		if left, err = resource.Get(ctx, one.name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
			return nil, nil
		}
		return left, err
	}
	return patch(one.kind.fields(one.serial))
}

func labelsOf(one write) map[string]any {
	if one.selected {
		return map[string]any{selectedLabel: "yes"}
	}
	return map[string]any{selectedLabel: "no"}
}

func newObject(one write) (*unstructured.Unstructured, error) {
	fields := one.kind.fields(one.serial)
	metadata := map[string]any{"name": one.name, "labels": labelsOf(one)}
	if one.held {
		metadata["finalizers"] = []any{finalizer}
	}
	fields["metadata"] = metadata
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	// Through JSON, for the types that unstructured content has.
	return object, json.Unmarshal(text, &object.Object)
}

// wrote reports whether that is a state that was written.
func (w *writer) wrote(k *kind) func(key string, s sight) bool {
	type state struct {
		key string
		sight
	}
	all := map[state]bool{}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.log[k] {
		all[state{one.key, one.sight}] = true
	}
	return func(key string, s sight) bool { return all[state{key, s}] }
}

// tells is what a handler is to be told of all that was written since there was
// nothing.
func (w *writer) tells(k *kind, selected bool) (calls []told) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := map[string]sight{}
	for _, one := range w.log[k] {
		last, has := known[one.key]
		wanted := one.sight != sight{} && (one.selected || !selected)
		switch {
		case wanted && has:
			calls = append(calls, told{call: update, key: one.key, old: last, new: one.sight})
		case wanted:
			calls = append(calls, told{call: add, key: one.key, new: one.sight})
		case has:
			calls = append(calls, told{call: remove, key: one.key, old: last})
		}
		if delete(known, one.key); wanted {
			known[one.key] = one.sight
		}
	}
	return calls
}

// last is the state of an object after the last write to it.
func (w *writer) last(k *kind, name string) (last written) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.log[k] {
		if one.key == namespace+"/"+name {
			last = one
		}
	}
	return last
}

// count is how many states were written.
func (w *writer) count() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, log := range w.log {
		n += len(log)
	}
	return n
}
