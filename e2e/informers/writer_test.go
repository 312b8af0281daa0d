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

// writer does the writes of a plan, over connections that do not break, and records the
// results.
type writer struct {
	client *rest.Client

	mu  sync.Mutex
	log map[*kind][]written // of one key in order
}

// written is the state of an object after a write. A zero state means that it is deleted.
type written struct {
	key string
	objectState
	selected bool
}

func newWriter(client *rest.Client) *writer {
	return &writer{client: client, log: map[*kind][]written{}}
}

// round does writes concurrently, and returns when all are done.
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
		came.objectState, came.selected = stateOf(left), left.GetLabels()[selectedLabel] == "yes"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log[one.kind] = append(w.log[one.kind], came)
	return nil
}

// ask makes one write and returns the object after it, or nil if it is deleted.
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
		// The response has a state that was never stored: the server deletes the object.
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

// wrote returns a function that reports whether a state was written.
func (w *writer) wrote(k *kind) func(key string, s objectState) bool {
	type keyed struct {
		key string
		objectState
	}
	all := map[keyed]bool{}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.log[k] {
		all[keyed{one.key, one.objectState}] = true
	}
	return func(key string, s objectState) bool { return all[keyed{key, s}] }
}

// expected returns the notifications that a handler should receive for all writes.
func (w *writer) expected(k *kind, selected bool) (calls []notification) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := map[string]objectState{}
	for _, one := range w.log[k] {
		last, has := known[one.key]
		wanted := one.objectState != objectState{} && (one.selected || !selected)
		switch {
		case wanted && has:
			calls = append(calls, notification{call: update, key: one.key, old: last, new: one.objectState})
		case wanted:
			calls = append(calls, notification{call: add, key: one.key, new: one.objectState})
		case has:
			calls = append(calls, notification{call: remove, key: one.key, old: last})
		}
		if delete(known, one.key); wanted {
			known[one.key] = one.objectState
		}
	}
	return calls
}

// last returns the state of an object after the last write to it.
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

// count returns the number of written states.
func (w *writer) count() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, log := range w.log {
		n += len(log)
	}
	return n
}
