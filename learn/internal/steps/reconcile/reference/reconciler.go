// Package reconcile is the reference of step 11: the loop body of a controller.
package reconcile

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

type reconciler struct {
	cache  stack.Indexer
	client stack.Client
}

// NewReconciler returns the reconciler of sites. cache may be older than the server.
func NewReconciler(cache stack.Indexer, client stack.Client) stack.Reconciler {
	return &reconciler{cache, client}
}

// Reconcile does not use what has changed: it compares what is with what should be. It
// can therefore be called too often, and continues after any error.
func (r *reconciler) Reconcile(ctx context.Context, key string) error {
	namespace, name, _ := strings.Cut(key, "/")
	site, known := r.cache.Get(key)
	if known {
		_, known = site.Labels[stack.SiteLabel]
	}
	page, exists := r.cache.Get(key + "-page")
	switch {
	case !known && exists && belongs(page, name):
		return r.delete(ctx, page)
	case !known:
		return nil
	case exists:
		return r.update(ctx, site, page)
	}
	err := r.create(ctx, site)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	// The cache is older than the server. The page may be this one's from an earlier
	// call, or an object of another owner: only the server knows.
	current := new(stack.ConfigMap)
	if err := r.request("GET", namespace).Name(name + "-page").Do(ctx).Into(current); err != nil {
		return fmt.Errorf("read the page that already exists: %w", err)
	}
	return r.update(ctx, site, current)
}

// request begins a request for ConfigMaps.
func (r *reconciler) request(method, namespace string) stack.Request {
	return r.client.Verb(method).Namespace(namespace).Resource("configmaps")
}

func (r *reconciler) create(ctx context.Context, site stack.Object) error {
	page := &stack.ConfigMap{TypeMeta: typeMeta, Data: site.Data}
	page.Namespace, page.Name = site.Namespace, site.Name+"-page"
	page.Labels = map[string]string{stack.PageLabel: site.Name}
	page.OwnerReferences = owner(site)
	return r.request("POST", site.Namespace).Body(page).Do(ctx).Into(new(stack.ConfigMap))
}

// update changes a page that differs. The version of the page is in the request, so the
// server rejects it with a conflict if the page is not the current one. The work queue
// then calls Reconcile again, with a newer cache.
func (r *reconciler) update(ctx context.Context, site, page stack.Object) error {
	if !belongs(page, site.Name) {
		return fmt.Errorf("%s exists and is not a page of %s", stack.Key(page), stack.Key(site))
	}
	if maps.Equal(page.Data, site.Data) && reflect.DeepEqual(page.OwnerReferences, owner(site)) {
		return nil
	}
	// The cache shares page with all its readers, so the change is made to a copy.
	changed := &stack.ConfigMap{TypeMeta: typeMeta, ObjectMeta: *page.ObjectMeta.DeepCopy(), Data: site.Data}
	changed.OwnerReferences = owner(site)
	return r.request("PUT", page.Namespace).Name(page.Name).Body(changed).Do(ctx).Into(new(stack.ConfigMap))
}

// delete deletes this page, and not one that was created later with the same name.
func (r *reconciler) delete(ctx context.Context, page stack.Object) error {
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &page.UID}}
	err := r.request("DELETE", page.Namespace).Name(page.Name).Body(options).Do(ctx).Into(new(stack.ConfigMap))
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// belongs reports whether an object is the page of a site.
func belongs(object stack.Object, site string) bool { return object.Labels[stack.PageLabel] == site }

// owner returns the owner references of the page of a site. The uid distinguishes the
// site from an older one of the same name.
func owner(site stack.Object) []metav1.OwnerReference {
	controller := true
	return []metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ConfigMap", Name: site.Name, UID: site.UID, Controller: &controller,
	}}
}

var typeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
