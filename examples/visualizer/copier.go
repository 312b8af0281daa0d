package main

import (
	"context"
	"errors"
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

func (c *copier) copy(ctx context.Context, req controller.Request) (outcome string, err error) {
	source, ok := c.cache.Get(req.String())
	if !ok {
		return "deleted: nothing to do", nil
	}
	if !c.write {
		return "nothing is written without -write", nil
	}
	made := &ConfigMap{Data: source.Data}
	made.Namespace, made.Name = req.Namespace, req.Name+copySuffix
	made.Labels = map[string]string{appLabel: copyValue, colorLabel: source.Labels[colorLabel]}
	stored, exists := c.cache.Get(req.String() + copySuffix)
	if exists {
		if maps.Equal(stored.Data, made.Data) && stored.Labels[colorLabel] == made.Labels[colorLabel] {
			return "the copy is up to date", nil
		}
		made = informer.Clone(stored)
		made.Data = source.Data
		made.Labels = map[string]string{appLabel: copyValue, colorLabel: source.Labels[colorLabel]}
	}
	if err := controller.SetControllerReference(source, configMaps, made); err != nil {
		return "", err
	}
	if exists {
		_, err = c.maps.Namespace(req.Namespace).MergePatch(ctx, stored, made, metav1.PatchOptions{FieldManager: "visualizer"})
		return "the copy is updated", err
	}
	_, err = c.maps.Namespace(req.Namespace).Create(ctx, made, metav1.CreateOptions{FieldManager: "visualizer"})
	return "the copy is created", err
}

// outcome returns the outcome of the last reconcile of a key.
func (c *copier) outcome(req controller.Request) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	outcome := c.outcomes[req]
	delete(c.outcomes, req)
	return outcome
}
