package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// maxWorkers is the number of workers of the controller.
const maxWorkers = 4

// copier is a small controller: each source has a copy of its data in a ConfigMap that
// it owns. The garbage collector deletes the copy of a deleted source.
type copier struct {
	cache *informer.SharedInformer[*ConfigMap]
	maps  *rest.Resource[*ConfigMap]
	// write is false if nothing is written.
	write bool

	// delay and failures are those of the controls work and fail.
	delay    delay
	failures atomic.Int64

	mu       sync.Mutex
	outcomes map[controller.Request]string
}

// requests returns the key of a source, or of the owner of a copy. controller.For and
// controller.Owns do the same with two handlers.
func (c *copier) requests(object *ConfigMap) []controller.Request {
	if isSource(object) || !c.write && !isCopy(object) { // show also the objects of others
		return []controller.Request{{Namespace: object.Namespace, Name: object.Name}}
	}
	if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == configMaps.Kind {
		return []controller.Request{{Namespace: object.Namespace, Name: owner.Name}}
	}
	return nil
}

// errAskedToFail is the error of the control fail.
var errAskedToFail = errors.New("the control fail made the reconcile fail")

// errNoCopy: the name of the copy is in use. The object is not changed; it may be of
// another program, or the copy of a source that was deleted.
var errNoCopy = errors.New("this object is not the copy of the source: it is not changed")

// Reconcile implements controller.Reconciler. It reads from the cache only.
func (c *copier) Reconcile(ctx context.Context, req controller.Request) (controller.Result, error) {
	if err := c.delay.wait(ctx); err != nil {
		return controller.Result{}, err
	}
	if c.failures.Load() > 0 && c.failures.Add(-1) >= 0 {
		return controller.Result{}, errAskedToFail
	}
	outcome, err := c.copy(ctx, req)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[req] = outcome
	return controller.Result{}, err
}

// copy writes the copy of a source if it differs.
func (c *copier) copy(ctx context.Context, req controller.Request) (outcome string, err error) {
	source, ok := c.cache.Get(req.String())
	if !ok {
		return "deleted: nothing to do", nil
	}
	if !c.write {
		return "nothing is written without -write", nil
	}
	stored, exists := c.cache.Get(req.String() + copySuffix)
	switch {
	case !exists:
		return c.create(ctx, source)
	case !metav1.IsControlledBy(stored, source):
		return "", fmt.Errorf("%w: %s", errNoCopy, keyOf(stored))
	case maps.Equal(stored.Data, source.Data) && stored.Labels[colorLabel] == source.Labels[colorLabel]:
		return "the copy is up to date", nil
	}
	made := informer.Clone(stored)
	made.Data, made.Labels = source.Data, copyLabels(source)
	if _, err := c.maps.Namespace(req.Namespace).MergePatch(ctx, stored, made, metav1.PatchOptions{FieldManager: "visualizer"}); err != nil {
		return "", err
	}
	return "the copy is updated", nil
}

func (c *copier) create(ctx context.Context, source *ConfigMap) (outcome string, err error) {
	made := &ConfigMap{Data: source.Data}
	made.Namespace, made.Name, made.Labels = source.Namespace, source.Name+copySuffix, copyLabels(source)
	if err := controller.SetControllerReference(source, configMaps, made); err != nil {
		return "", err
	}
	if _, err := c.maps.Namespace(source.Namespace).Create(ctx, made, metav1.CreateOptions{FieldManager: "visualizer"}); err != nil {
		return "", err
	}
	return "the copy is created", nil
}

func copyLabels(source *ConfigMap) map[string]string {
	return map[string]string{appLabel: copyValue, colorLabel: source.Labels[colorLabel]}
}

// outcome returns the outcome of the last reconcile of a key.
func (c *copier) outcome(req controller.Request) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	outcome := c.outcomes[req]
	delete(c.outcomes, req)
	return outcome
}
