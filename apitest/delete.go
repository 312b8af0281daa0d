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
)

// delete answers a DELETE of one object.
func (c *call) delete() error {
	if c.subresource != "" {
		return notAllowed()
	}
	options, err := c.readDeleteOptions()
	if err != nil {
		return err
	}
	rec, gone, err := c.remove(options)
	if err != nil {
		return err
	}
	if gone && !c.resource.strategy.deletedInFull {
		return c.answerDeleted(rec)
	}
	code := http.StatusOK
	//lint:ignore SA1019 old clients send it
	if orphan := options.OrphanDependents; !gone && orphan != nil && !*orphan {
		code = http.StatusAccepted
	}
	return c.answer(code, rec.raw)
}

// answerDeleted tells which object is gone.
func (c *call) answerDeleted(rec *record) error {
	obj, err := decode(rec.raw)
	if err != nil {
		return err
	}
	return c.answerStatus(&metav1.Status{
		Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: rec.name, Group: c.Group, Kind: c.GroupVersionResource.Resource, UID: obj.GetUID(),
		},
	})
}

// remove deletes an object, or marks it as being deleted when somebody has to
// come first: finalizers, a pod's kubelet. gone tells which; rec is the last
// state, or the marked one.
func (c *call) remove(options metav1.DeleteOptions) (rec *record, gone bool, err error) {
	for {
		rec, gone, err = c.removeOnce(*options.DeepCopy())
		if !errors.Is(err, errMoved) {
			return rec, gone, err
		}
		if err := c.r.Context().Err(); err != nil {
			return nil, false, err
		}
	}
}

func (c *call) removeOnce(options metav1.DeleteOptions) (rec *record, gone bool, err error) {
	was := c.resource.table.get(key{c.namespace, c.name})
	if was == nil {
		return nil, false, apierrors.NewNotFound(c.GroupResource(), c.name)
	}
	obj, err := c.decode(was)
	if err != nil {
		return nil, false, err
	}
	if err := c.checkPreconditions(options, obj); err != nil {
		return nil, false, err
	}
	dryRun := len(options.DryRun) > 0
	if c.GroupResource() == namespaces {
		if isImmortal(c.name) {
			return nil, false, apierrors.NewForbidden(namespaces, c.name, errors.New("this namespace may not be deleted"))
		}
		if !endNamespace(options, obj) {
			rec, err := c.replace(dryRun, was, obj)
			return rec, false, err
		}
	}
	if c.GroupResource() == definitionsResource {
		marked, err := markDefinition(obj)
		if err != nil {
			return nil, false, err
		}
		if marked {
			rec, err := c.replace(dryRun, was, obj)
			return rec, false, err
		}
	}
	c.warnOfOrphans(options)
	metadata := metadataOf(obj.Object)
	period, graceful, pending := c.grace(options, obj.Object)
	if pending {
		return was, false, nil
	}
	c.setGarbageFinalizers(options, metadata)
	held := len(textsAt(metadata, "finalizers")) > 0
	if !graceful && held {
		markDeleted(metadata)
	}
	if graceful || held {
		if was, err = c.replace(dryRun, was, obj); err != nil || held || period > 0 {
			return was, false, err
		}
	}
	if dryRun {
		return was, true, nil
	}
	if rec, err = c.resource.table.remove(was); err != nil {
		return nil, false, err
	}
	c.server.settleAfter(c.resource, true)
	return rec, true, nil
}

// checkPreconditions of a delete.
func (c *call) checkPreconditions(options metav1.DeleteOptions, obj *unstructured.Unstructured) error {
	wanted := options.Preconditions
	if wanted == nil {
		return nil
	}
	conflict := func(own, other string) error {
		if c.GroupResource() == namespaces {
			return apierrors.NewConflict(namespaces, c.name, errors.New("Precondition failed: "+own))
		}
		kind := schema.GroupResource{Group: c.Group, Resource: c.resource.Kind}
		return apierrors.NewConflict(kind, c.name, errors.New(other))
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

// endNamespace begins the end of a namespace. Once that has begun it may be
// removed, when nobody has a finalizer in its spec any more.
func endNamespace(options metav1.DeleteOptions, obj *unstructured.Unstructured) (removable bool) {
	metadata := metadataOf(obj.Object)
	if isDeleting(metadata) {
		return len(textsAt(obj.Object, "spec", "finalizers")) == 0
	}
	metadata["deletionTimestamp"] = now()
	setAt(obj.Object, "Terminating", "status", "phase")
	finalizers := textsAt(metadata, "finalizers")
	for name, wanted := range map[string]metav1.DeletionPropagation{
		metav1.FinalizerOrphanDependents: metav1.DeletePropagationOrphan,
		metav1.FinalizerDeleteDependents: metav1.DeletePropagationForeground,
	} {
		propagation, said := propagationOf(options)
		if !said {
			continue
		}
		finalizers = slices.DeleteFunc(finalizers, func(other string) bool { return other == name })
		if propagation == wanted {
			finalizers = append(finalizers, name)
		}
	}
	setAt(metadata, anySlice(finalizers), "finalizers")
	return false
}

// propagationOf is what a delete says about dependents.
func propagationOf(options metav1.DeleteOptions) (propagation metav1.DeletionPropagation, said bool) {
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

// setGarbageFinalizers leaves word for the garbage collector.
func (c *call) setGarbageFinalizers(options metav1.DeleteOptions, metadata map[string]any) {
	finalizers := textsAt(metadata, "finalizers")
	propagation, said := propagationOf(options)
	switch {
	case said:
	case slices.Contains(finalizers, metav1.FinalizerOrphanDependents):
		propagation = metav1.DeletePropagationOrphan
	case slices.Contains(finalizers, metav1.FinalizerDeleteDependents):
		propagation = metav1.DeletePropagationForeground
	case c.resource.strategy.orphans:
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
	setAt(metadata, anySlice(finalizers), "finalizers")
}

// warnOfOrphans: jobs leave their pods behind, to many people's surprise.
func (c *call) warnOfOrphans(options metav1.DeleteOptions) {
	if _, said := propagationOf(options); !said && c.GroupResource() == jobs {
		c.warn("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}

// markDeleted marks an object that finalizers hold.
func markDeleted(metadata map[string]any) {
	present := now()
	deletion, marked := metadata["deletionTimestamp"].(string)
	if generation, counted := metadata["generation"].(int64); counted && !marked {
		metadata["generation"] = generation + 1
	}
	if !marked || deletion > present {
		metadata["deletionTimestamp"] = present
	}
	metadata["deletionGracePeriodSeconds"] = int64(0)
}

// grace gives a pod that is on a node time to end: its kubelet deletes it once
// more, with a period of 0. pending is a delete that says nothing new to a pod
// that is ending.
func (c *call) grace(options metav1.DeleteOptions, obj map[string]any) (period int64, graceful, pending bool) {
	if c.GroupResource() != pods {
		return 0, false, false
	}
	metadata := metadataOf(obj)
	asked := options.GracePeriodSeconds
	if asked != nil && *asked < 0 {
		*asked = 1
	}
	if isDeleting(metadata) {
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

// shorten the period of an object that is ending; it cannot be made longer.
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
	if present := time.Now(); deletion.Before(present) {
		deletion = present
		period = min(period, 1)
	}
	metadata["deletionTimestamp"] = deletion.UTC().Format(time.RFC3339)
	metadata["deletionGracePeriodSeconds"] = period
	return period, true, false
}

// podGrace is the period of a pod's deletion: none where no kubelet waits for
// it.
func podGrace(pod map[string]any, asked *int64) int64 {
	phase := at(pod, "status.phase")
	if node, _ := at(pod, "spec.nodeName").(string); node == "" || phase == "Failed" || phase == "Succeeded" {
		return 0
	}
	if asked != nil {
		return *asked
	}
	if own, ok := at(pod, "spec.terminationGracePeriodSeconds").(int64); ok {
		return max(own, 1)
	}
	return 30
}

func afterNow(seconds int64) string {
	return time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339)
}
