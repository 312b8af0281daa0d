package main

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

// statusKey is the annotation of a deployment with the status of its settings.
const statusKey = "example.com/settings"

// controller creates a config map of settings for each deployment.
type controller struct {
	client      kubernetes.Interface
	deployments appslisters.DeploymentLister
	settings    corelisters.ConfigMapLister
	defaults    corelisters.ConfigMapLister // of the other namespace
	synced      []cache.InformerSynced
	queue       workqueue.TypedRateLimitingInterface[cache.ObjectName]
	recorder    *steps.Recorder
}

func newController(client kubernetes.Interface, deployments appsinformers.DeploymentInformer, settings, defaults coreinformers.ConfigMapInformer, recorder *steps.Recorder) (*controller, error) {
	c := &controller{
		client:      client,
		deployments: deployments.Lister(),
		settings:    settings.Lister(),
		defaults:    defaults.Lister(),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "deployments"}),
		recorder: recorder,
	}
	owners, err := deployments.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, obj any) { c.enqueue(obj) },
		DeleteFunc: c.deleted,
	})
	if err != nil {
		return nil, err
	}
	owned, err := settings.Informer().AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool { return ownerOf(obj) != "" },
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: c.enqueueOwner,
			UpdateFunc: func(old, obj any) {
				if old.(*corev1.ConfigMap).ResourceVersion != obj.(*corev1.ConfigMap).ResourceVersion {
					c.enqueueOwner(obj)
				}
			},
			DeleteFunc: c.enqueueOwner,
		},
	})
	if err != nil {
		return nil, err
	}
	shared, err := defaults.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) { c.enqueueAll() },
	})
	if err != nil {
		return nil, err
	}
	c.synced = []cache.InformerSynced{owners.HasSynced, owned.HasSynced, shared.HasSynced}
	return c, nil
}

// enqueueAll enqueues all deployments: the defaults have changed.
func (c *controller) enqueueAll() {
	all, err := c.deployments.List(labels.Everything())
	if err != nil {
		c.recorder.Report("list the deployments: %v", err)
	}
	for _, deployment := range all {
		c.enqueue(deployment)
	}
}

func (c *controller) enqueue(obj any) {
	name, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		c.recorder.Report("an object without a name: %v", err)
		return
	}
	c.queue.Add(name)
}

// deleted reports a deletion. A handler receives each deletion once. The key may be
// reconciled again after it, for an event of the config map or for a pending retry.
func (c *controller) deleted(obj any) {
	name, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		c.recorder.Report("an object without a name: %v", err)
		return
	}
	c.recorder.Report("%s was deleted", name.Name)
}

// enqueueOwner enqueues the deployment that owns an object, if there is one.
func (c *controller) enqueueOwner(obj any) {
	name, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		c.recorder.Report("an object without a name: %v", err)
		return
	}
	if owner, err := c.deployments.Deployments(name.Namespace).Get(ownerOf(obj)); err == nil {
		c.enqueue(owner)
	}
}

// ownerOf returns the name of the deployment that controls an object or the object of a
// tombstone.
func ownerOf(obj any) string {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	object, ok := obj.(metav1.Object)
	if !ok {
		return ""
	}
	if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == "Deployment" {
		return owner.Name
	}
	return ""
}

// run reconciles until ctx is done.
func (c *controller) run(ctx context.Context, workers int) error {
	var running sync.WaitGroup
	defer running.Wait()
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return fmt.Errorf("wait for the first lists: %w", context.Cause(ctx))
	}
	for range workers {
		running.Go(func() {
			for c.processNextItem(ctx) {
			}
		})
	}
	<-ctx.Done()
	return nil
}

func (c *controller) processNextItem(ctx context.Context) bool {
	name, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(name)
	if err := c.reconcile(ctx, name); err != nil {
		c.queue.AddRateLimited(name)
	} else {
		c.queue.Forget(name)
	}
	return true
}

func (c *controller) reconcile(ctx context.Context, name cache.ObjectName) error {
	deployment, err := c.deployments.Deployments(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defaults, err := c.defaults.List(labels.Everything())
	if err != nil {
		return err
	}
	want := settingsOf(deployment, defaults)
	have, err := c.settings.ConfigMaps(name.Namespace).Get(want.Name)
	switch {
	case apierrors.IsNotFound(err):
		if _, err = c.client.CoreV1().ConfigMaps(name.Namespace).Create(ctx, want, metav1.CreateOptions{}); err == nil {
			c.recorder.Report("%s: created %s", name.Name, want.Name)
		}
	case err == nil && !metav1.IsControlledBy(have, deployment):
		if err := c.report(ctx, deployment, want.Name+" has another owner"); err != nil {
			return err
		}
		return fmt.Errorf("%s has another owner", want.Name)
	case err == nil && !maps.Equal(have.Data, want.Data):
		have = have.DeepCopy()
		have.Data = want.Data
		if _, err = c.client.CoreV1().ConfigMaps(name.Namespace).Update(ctx, have, metav1.UpdateOptions{}); err == nil {
			c.recorder.Report("%s: wrote %s", name.Name, want.Name)
		}
	}
	if err != nil {
		return err
	}
	return c.report(ctx, deployment, want.Data["replicas"]+" replicas")
}

// report writes the status of a deployment if it has changed.
func (c *controller) report(ctx context.Context, deployment *appsv1.Deployment, status string) error {
	if deployment.Annotations[statusKey] == status {
		return nil
	}
	deployment = deployment.DeepCopy()
	metav1.SetMetaDataAnnotation(&deployment.ObjectMeta, statusKey, status)
	_, err := c.client.AppsV1().Deployments(deployment.Namespace).Update(ctx, deployment, metav1.UpdateOptions{})
	if err == nil {
		c.recorder.Report("%s: %s", deployment.Name, status)
	}
	return err
}

// settingsOf returns the config map that a deployment should have.
func settingsOf(deployment *appsv1.Deployment, defaults []*corev1.ConfigMap) *corev1.ConfigMap {
	data := map[string]string{"replicas": strconv.Itoa(int(*deployment.Spec.Replicas))}
	for _, d := range defaults {
		if level, exists := d.Data["level"]; exists {
			data["level"] = level
		}
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: deployment.Name + "-settings", Namespace: deployment.Namespace,
			Labels:          map[string]string{"example.com/settings": "yes"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(deployment, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Data: data,
	}
}
