package apitest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// runControllers does the work of the namespace controller and the garbage
// collector, until the server is closed. After each change it examines all
// objects, which is fast enough for tests.
func (s *Server) runControllers() {
	known := map[schema.GroupVersionKind]bool{}
	for {
		changed := s.store.NextVersion()
		for s.ctx.Err() == nil && s.collect(known) {
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return
		}
	}
}

// collector is the state of one run over all objects.
type collector struct {
	server *Server
	// all and byUID have every object, in order and by uid. holders are the objects
	// with a finalizer of the garbage collector, owned those with owner references.
	all            []*trackedObject
	byUID          map[string]*trackedObject
	holders, owned []*trackedObject
	// knownKinds are the kinds that have been served. For other kinds, an owner
	// cannot be known to be deleted.
	knownKinds map[schema.GroupVersionKind]bool
	// acted is set by writes that changed something.
	acted bool
}

// trackedObject is an object and its location.
type trackedObject struct {
	resource *registry.Resource
	record   *storage.Record
	metadata map[string]any
}

// collect makes one run and reports whether it changed anything. It examines a
// snapshot of one version: an owner is older than its dependents, and must not
// be overlooked. Its writes have the uid of the object as a precondition, since
// another object may have the name by then.
func (s *Server) collect(known map[schema.GroupVersionKind]bool) bool {
	gc := &collector{server: s, byUID: map[string]*trackedObject{}, knownKinds: known}
	for _, res := range s.registry.All() {
		known[res.GroupVersion().WithKind(res.Kind)] = true
	}
	resources := s.storedResources()
	tables := make([]*storage.Table, len(resources))
	for i, res := range resources {
		tables[i] = res.Table
	}
	var terminatingNamespaces []*storage.Record
	for i, snapshot := range s.store.Snapshots(tables) {
		res := resources[i]
		for rec := range snapshot.Records("", nil, false) {
			if res.GroupResource() == registry.Namespaces {
				if terminating, _ := isTerminating(rec); terminating {
					terminatingNamespaces = append(terminatingNamespaces, rec)
				}
			}
			gc.add(res, rec)
		}
	}
	for _, rec := range terminatingNamespaces {
		gc.emptyNamespace(rec)
	}
	for _, dependent := range gc.owned {
		gc.collectOwned(dependent)
	}
	for _, holder := range gc.holders {
		gc.releaseOwner(holder)
	}
	return gc.acted
}

// storedResources returns one resource per table, always in the same order, so
// that a seed gives the same result.
func (s *Server) storedResources() (found []*registry.Resource) {
	seen := map[*storage.Table]bool{}
	all := slices.SortedFunc(maps.Values(s.registry.All()), func(a, b *registry.Resource) int {
		return cmp.Compare(a.GroupVersionResource.String(), b.GroupVersionResource.String())
	})
	for _, res := range all {
		if !seen[res.Table] {
			seen[res.Table] = true
			found = append(found, res)
		}
	}
	return found
}

// add records what the collector needs of an object, for most of them only the
// uid.
func (gc *collector) add(res *registry.Resource, rec *storage.Record) {
	obj, err := objects.Decode(rec.Raw)
	if err != nil {
		return
	}
	o := &trackedObject{resource: res, record: rec, metadata: objects.Metadata(obj.Object)}
	gc.byUID[string(o.uid())] = o
	gc.all = append(gc.all, o)
	if bytes.Contains(rec.Raw, []byte(`"ownerReferences"`)) && len(o.owners()) > 0 {
		gc.owned = append(gc.owned, o)
	}
	if objects.IsDeleting(o.metadata) && (o.has(metav1.FinalizerDeleteDependents) || o.has(metav1.FinalizerOrphanDependents)) {
		gc.holders = append(gc.holders, o)
	}
}

func (o *trackedObject) uid() types.UID {
	uid, _ := o.metadata["uid"].(string)
	return types.UID(uid)
}

func (o *trackedObject) has(finalizer string) bool {
	return slices.Contains(objects.StringsAt(o.metadata, "finalizers"), finalizer)
}

func (o *trackedObject) owners() (references []map[string]any) {
	list, _ := o.metadata["ownerReferences"].([]any)
	for _, item := range list {
		if reference, ok := item.(map[string]any); ok {
			references = append(references, reference)
		}
	}
	return references
}

// call returns a call of the server itself on an object.
func (o *trackedObject) call(s *Server) *call {
	c := &call{server: s, internal: true, w: discardResponse{}, r: new(http.Request).WithContext(s.ctx), resource: o.resource}
	c.GroupVersionResource = o.resource.GroupVersionResource
	c.Namespace, c.Name = o.record.Namespace, o.record.Name
	return c
}

// discardResponse discards the warnings of internal calls.
type discardResponse struct{}

func (discardResponse) Header() http.Header         { return http.Header{} }
func (discardResponse) Write(p []byte) (int, error) { return len(p), nil }
func (discardResponse) WriteHeader(int)             {}

// recordWrite records the result of a write. After a conflict, the next run
// tries again.
func (gc *collector) recordWrite(action string, o *trackedObject, changed bool, err error) {
	gc.acted = gc.acted || err == nil && changed
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !errors.Is(err, context.Canceled) {
		gc.server.options.logger().Error("apitest: "+action, "resource", o.resource.GroupResource(), "namespace", o.record.Namespace, "name", o.record.Name, "err", err)
	}
}

func (gc *collector) delete(o *trackedObject, propagation metav1.DeletionPropagation) {
	uid, version := o.uid(), strconv.FormatUint(o.record.Version, 10)
	rec, deleted, err := o.call(gc.server).remove(metav1.DeleteOptions{
		PropagationPolicy: &propagation, Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	gc.recordWrite("delete garbage", o, deleted || err == nil && rec.Version != o.record.Version, err)
}

// change changes an object by f.
func (gc *collector) change(action string, o *trackedObject, subresource string, f func(object map[string]any)) {
	c := o.call(gc.server)
	c.Subresource = subresource
	rec, _, err := c.mutate(mutation{WriteOptions: params.WriteOptions{Manager: "kube-controller-manager"}, uid: o.uid()}, func(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		next := current.DeepCopy()
		f(next.Object)
		return next, nil
	})
	gc.recordWrite(action, o, err == nil && !reflect.DeepEqual(rec, o.record), err)
}

// emptyNamespace deletes the objects in a terminating namespace. When none is
// left, it removes the finalizer of the namespace.
func (gc *collector) emptyNamespace(namespace *storage.Record) {
	remaining := false
	for _, o := range gc.all {
		if o.record.Namespace == namespace.Name {
			remaining = true
			gc.delete(o, metav1.DeletePropagationBackground)
		}
	}
	if remaining {
		return
	}
	for _, o := range gc.all {
		if o.record == namespace {
			gc.change("finalize a namespace", o, "finalize", func(object map[string]any) {
				names := slices.DeleteFunc(objects.StringsAt(object, "spec", "finalizers"), func(name string) bool { return name == "kubernetes" })
				objects.SetAt(object, objects.StringList(names), "spec", "finalizers")
			})
		}
	}
}

// collectOwned deletes an object if each of its owners is deleted, or is being
// deleted and waits for its dependents.
func (gc *collector) collectOwned(o *trackedObject) {
	waiting := false
	for _, reference := range o.owners() {
		uid, _ := reference["uid"].(string)
		owner := gc.byUID[uid]
		switch {
		case owner == nil && !gc.knownKinds[kindOf(reference)]:
			return
		case owner == nil:
		case objects.IsDeleting(owner.metadata) && owner.has(metav1.FinalizerDeleteDependents):
			waiting = true
		default:
			return
		}
	}
	switch {
	case objects.IsDeleting(o.metadata):
	case waiting:
		gc.delete(o, metav1.DeletePropagationForeground)
	default:
		gc.delete(o, metav1.DeletePropagationBackground)
	}
}

func kindOf(reference map[string]any) schema.GroupVersionKind {
	version, _ := reference["apiVersion"].(string)
	kind, _ := reference["kind"].(string)
	return schema.FromAPIVersionAndKind(version, kind)
}

// releaseOwner removes the garbage collector's finalizer from an owner that no
// longer has to wait for its dependents.
func (gc *collector) releaseOwner(owner *trackedObject) {
	uid := owner.metadata["uid"]
	refersToOwner := func(reference map[string]any) bool { return reference["uid"] == uid }
	orphans := owner.has(metav1.FinalizerOrphanDependents)
	for _, o := range gc.owned {
		references := o.owners()
		if !slices.ContainsFunc(references, refersToOwner) {
			continue
		}
		if !orphans {
			if slices.ContainsFunc(references, func(reference map[string]any) bool {
				return refersToOwner(reference) && reference["blockOwnerDeletion"] == true
			}) {
				return
			}
			continue
		}
		gc.change("orphan a dependent", o, "", func(object map[string]any) {
			var others []any
			for _, reference := range (&trackedObject{metadata: objects.Metadata(object)}).owners() {
				if !refersToOwner(reference) {
					others = append(others, reference)
				}
			}
			if others == nil {
				delete(objects.Metadata(object), "ownerReferences")
			} else {
				objects.Metadata(object)["ownerReferences"] = others
			}
		})
	}
	gc.change("remove the finalizer of the garbage collector", owner, "", func(object map[string]any) {
		names := slices.DeleteFunc(objects.StringsAt(object, "metadata", "finalizers"), func(name string) bool {
			return name == metav1.FinalizerDeleteDependents || name == metav1.FinalizerOrphanDependents
		})
		objects.SetAt(object, objects.StringList(names), "metadata", "finalizers")
	})
}
