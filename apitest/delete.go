package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/definition"
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// delete serves a DELETE of one object.
func (c *call) delete() error {
	if c.Subresource != "" {
		return registry.NotAllowed()
	}
	options, err := c.readDeleteOptions()
	if err != nil {
		return err
	}
	rec, gone, err := c.remove(options)
	if err != nil {
		return err
	}
	if gone && !c.resource.Strategy.DeletedInFull {
		return c.respondDeleted(rec)
	}
	code := http.StatusOK
	//lint:ignore SA1019 old clients send it
	if orphan := options.OrphanDependents; !gone && orphan != nil && !*orphan {
		code = http.StatusAccepted
	}
	return c.respond(code, rec.Raw)
}

// respondDeleted writes the Status for a deleted object.
func (c *call) respondDeleted(rec *storage.Record) error {
	obj, err := objects.Decode(rec.Raw)
	if err != nil {
		return err
	}
	return c.respondStatus(&metav1.Status{
		Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: rec.Name, Group: c.Group, Kind: c.GroupVersionResource.Resource, UID: obj.GetUID(),
		},
	})
}

// remove deletes an object, or marks it as being deleted if it has finalizers
// or, for a pod, waits for its kubelet. gone reports which; rec is the last
// state, or the marked one.
func (c *call) remove(options metav1.DeleteOptions) (rec *storage.Record, gone bool, err error) {
	for {
		rec, gone, err = c.removeOnce(*options.DeepCopy())
		if !errors.Is(err, storage.ErrConflict) {
			return rec, gone, err
		}
		if err := c.r.Context().Err(); err != nil {
			return nil, false, err
		}
	}
}

func (c *call) removeOnce(options metav1.DeleteOptions) (rec *storage.Record, gone bool, err error) {
	current := c.resource.Table.Get(storage.Key{Namespace: c.Namespace, Name: c.Name})
	if current == nil {
		return nil, false, apierrors.NewNotFound(c.GroupResource(), c.Name)
	}
	obj, err := c.decode(current)
	if err != nil {
		return nil, false, err
	}
	if err := c.checkPreconditions(options, obj); err != nil {
		return nil, false, err
	}
	dryRun := len(options.DryRun) > 0
	if c.GroupResource() == registry.Namespaces {
		if isUndeletable(c.Name) {
			return nil, false, apierrors.NewForbidden(registry.Namespaces, c.Name, errors.New("this namespace may not be deleted"))
		}
		if !endNamespace(options, obj) {
			rec, err := c.replace(dryRun, current, obj)
			return rec, false, err
		}
	}
	if c.GroupResource() == definition.GroupResource {
		marked, err := definition.MarkDeleted(obj)
		if err != nil {
			return nil, false, err
		}
		if marked {
			rec, err := c.replace(dryRun, current, obj)
			return rec, false, err
		}
	}
	c.warnOfOrphans(options)
	metadata := objects.Metadata(obj.Object)
	period, graceful, pending := c.grace(options, obj.Object)
	if pending {
		return current, false, nil
	}
	c.setGarbageFinalizers(options, metadata)
	held := len(objects.StringsAt(metadata, "finalizers")) > 0
	if !graceful && held {
		markDeleted(metadata)
	}
	if graceful || held {
		if current, err = c.replace(dryRun, current, obj); err != nil || held || period > 0 {
			return current, false, err
		}
	}
	if dryRun {
		return current, true, nil
	}
	if rec, err = c.resource.Table.Remove(current); err != nil {
		return nil, false, err
	}
	c.server.reconcileDefinitionsAfter(c.resource, true)
	return rec, true, nil
}

// checkPreconditions checks the preconditions of a delete.
func (c *call) checkPreconditions(options metav1.DeleteOptions, obj *unstructured.Unstructured) error {
	wanted := options.Preconditions
	if wanted == nil {
		return nil
	}
	conflict := func(own, other string) error {
		if c.GroupResource() == registry.Namespaces {
			return apierrors.NewConflict(registry.Namespaces, c.Name, errors.New("Precondition failed: "+own))
		}
		kind := schema.GroupResource{Group: c.Group, Resource: c.resource.Kind}
		return apierrors.NewConflict(kind, c.Name, errors.New(other))
	}
	if uid := obj.GetUID(); wanted.UID != nil && *wanted.UID != uid {
		return conflict(
			fmt.Sprintf("UID in precondition: %v, UID in object meta: %v", *wanted.UID, uid),
			fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *wanted.UID, uid))
	}
	if version := obj.GetResourceVersion(); wanted.ResourceVersion != nil && *wanted.ResourceVersion != version {
		return conflict(
			fmt.Sprintf("ResourceVersion in precondition: %v, ResourceVersion in object meta: %v", *wanted.ResourceVersion, version),
			fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *wanted.ResourceVersion, version))
	}
	return nil
}

// endNamespace starts the termination of a namespace. Once it has started, the
// namespace is removable when its spec has no finalizers.
func endNamespace(options metav1.DeleteOptions, obj *unstructured.Unstructured) (removable bool) {
	metadata := objects.Metadata(obj.Object)
	if objects.IsDeleting(metadata) {
		return len(objects.StringsAt(obj.Object, "spec", "finalizers")) == 0
	}
	metadata["deletionTimestamp"] = objects.Now()
	objects.SetAt(obj.Object, "Terminating", "status", "phase")
	finalizers := objects.StringsAt(metadata, "finalizers")
	for name, wanted := range map[string]metav1.DeletionPropagation{
		metav1.FinalizerOrphanDependents: metav1.DeletePropagationOrphan,
		metav1.FinalizerDeleteDependents: metav1.DeletePropagationForeground,
	} {
		propagation, given := propagationOf(options)
		if !given {
			continue
		}
		finalizers = slices.DeleteFunc(finalizers, func(other string) bool { return other == name })
		if propagation == wanted {
			finalizers = append(finalizers, name)
		}
	}
	objects.SetAt(metadata, objects.StringList(finalizers), "finalizers")
	return false
}

// propagationOf returns the propagation policy of a delete, if it has one.
func propagationOf(options metav1.DeleteOptions) (propagation metav1.DeletionPropagation, given bool) {
	//lint:ignore SA1019 old clients send it
	if orphan := options.OrphanDependents; orphan != nil {
		if *orphan {
			return metav1.DeletePropagationOrphan, true
		}
		return metav1.DeletePropagationBackground, true
	}
	if options.PropagationPolicy != nil {
		return *options.PropagationPolicy, true
	}
	return "", false
}

// setGarbageFinalizers sets the finalizers for the garbage collector.
func (c *call) setGarbageFinalizers(options metav1.DeleteOptions, metadata map[string]any) {
	finalizers := objects.StringsAt(metadata, "finalizers")
	propagation, given := propagationOf(options)
	switch {
	case given:
	case slices.Contains(finalizers, metav1.FinalizerOrphanDependents):
		propagation = metav1.DeletePropagationOrphan
	case slices.Contains(finalizers, metav1.FinalizerDeleteDependents):
		propagation = metav1.DeletePropagationForeground
	case c.resource.Strategy.Orphans:
		propagation = metav1.DeletePropagationOrphan
	}
	want := ""
	switch propagation {
	case metav1.DeletePropagationOrphan:
		want = metav1.FinalizerOrphanDependents
	case metav1.DeletePropagationForeground:
		want = metav1.FinalizerDeleteDependents
	}
	if want != "" && slices.Contains(finalizers, want) {
		return
	}
	finalizers = slices.DeleteFunc(finalizers, func(name string) bool {
		return name == metav1.FinalizerOrphanDependents || name == metav1.FinalizerDeleteDependents
	})
	if want != "" {
		finalizers = append(finalizers, want)
	}
	objects.SetAt(metadata, objects.StringList(finalizers), "finalizers")
}

// warnOfOrphans warns that a deleted job leaves its pods behind by default.
func (c *call) warnOfOrphans(options metav1.DeleteOptions) {
	if _, given := propagationOf(options); !given && c.GroupResource() == registry.Jobs {
		c.warn("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}

// markDeleted marks an object with finalizers as being deleted.
func markDeleted(metadata map[string]any) {
	now := objects.Now()
	deletion, marked := metadata["deletionTimestamp"].(string)
	if generation, counted := metadata["generation"].(int64); counted && !marked {
		metadata["generation"] = generation + 1
	}
	if !marked || deletion > now {
		metadata["deletionTimestamp"] = now
	}
	metadata["deletionGracePeriodSeconds"] = int64(0)
}

// grace gives a pod that is on a node time to terminate: its kubelet deletes it
// again with a period of 0. pending reports that the delete changes nothing for
// a pod that is terminating.
func (c *call) grace(options metav1.DeleteOptions, obj map[string]any) (period int64, graceful, pending bool) {
	if c.GroupResource() != registry.Pods {
		return 0, false, false
	}
	metadata := objects.Metadata(obj)
	asked := options.GracePeriodSeconds
	if asked != nil && *asked < 0 {
		*asked = 1
	}
	if objects.IsDeleting(metadata) {
		return shorten(metadata, asked)
	}
	period = podGrace(obj, asked)
	metadata["deletionTimestamp"] = afterNow(period)
	metadata["deletionGracePeriodSeconds"] = period
	if generation, counted := metadata["generation"].(int64); counted {
		metadata["generation"] = generation + 1
	}
	return period, true, false
}

// shorten shortens the grace period of a terminating object. It cannot be
// extended.
func shorten(metadata map[string]any, asked *int64) (period int64, graceful, pending bool) {
	left, _ := metadata["deletionGracePeriodSeconds"].(int64)
	switch {
	case left == 0:
		return 0, false, false
	case asked == nil || *asked >= left:
		return left, false, true
	}
	period = *asked
	text, _ := metadata["deletionTimestamp"].(string)
	deletion, _ := time.Parse(time.RFC3339, text)
	deletion = deletion.Add(time.Duration(period-left) * time.Second)
	if now := time.Now(); deletion.Before(now) {
		deletion = now
		period = min(period, 1)
	}
	metadata["deletionTimestamp"] = deletion.UTC().Format(time.RFC3339)
	metadata["deletionGracePeriodSeconds"] = period
	return period, true, false
}

// podGrace returns the grace period of a pod: 0 if no kubelet handles it.
func podGrace(pod map[string]any, asked *int64) int64 {
	phase := objects.At(pod, "status.phase")
	if node, _ := objects.At(pod, "spec.nodeName").(string); node == "" || phase == "Failed" || phase == "Succeeded" {
		return 0
	}
	if asked != nil {
		return *asked
	}
	if own, ok := objects.At(pod, "spec.terminationGracePeriodSeconds").(int64); ok {
		return max(own, 1)
	}
	return 30
}

func afterNow(seconds int64) string {
	return time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339)
}

// deleteCollection deletes the objects that a list with the same parameters
// returns, and responds with that list. It deletes one object at a time; an
// error stops it, and leaves the rest.
func (c *call) deleteCollection() error {
	options, chosen, err := c.parseListing()
	if err != nil {
		return err
	}
	how, err := c.readDeleteOptions()
	if err != nil {
		return err
	}
	found, err := c.listed(options, chosen)
	if err != nil {
		return err
	}
	for _, rec := range found.records {
		one := *c
		one.Namespace, one.Name = rec.Namespace, rec.Name
		if _, _, err := one.remove(how); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return c.respondList(found)
}
