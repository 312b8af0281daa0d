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
)

// control does, until the server is closed, what the namespace controller and
// the garbage collector do in a cluster. It looks at everything whenever
// something has changed, which is quick enough for the objects of a test.
func (s *Server) control() {
	known := map[schema.GroupVersionKind]bool{}
	for {
		s.store.mu.Lock()
		changed := s.store.moved.wait()
		s.store.mu.Unlock()
		for s.alive.Err() == nil && s.collect(known) {
		}
		select {
		case <-changed:
		case <-s.alive.Done():
			return
		}
	}
}

// garbage is what is known of the objects at one time.
type garbage struct {
	server *Server
	// all objects, in order, and by uid; holders are those that finalizers of
	// the collector hold, and owned those that have owners.
	all            []*kept
	alive          map[string]*kept
	holders, owned []*kept
	// known are the kinds that are served or ever were: of others nobody can say
	// that an owner is gone.
	known map[schema.GroupVersionKind]bool
	// acted is set by what was changed.
	acted bool
}

// kept is an object and where it is.
type kept struct {
	resource *resource
	record   *record
	metadata map[string]any
}

// collect takes one look and does what there is to do; it reports whether it
// did anything. What it looks at is of one version: an owner is older than what
// it owns, and must not be overlooked. What it writes names the object that it
// has seen, as there may be another of that name by then.
func (s *Server) collect(known map[schema.GroupVersionKind]bool) bool {
	g := &garbage{server: s, alive: map[string]*kept{}, known: known}
	for _, res := range s.registry.all() {
		known[res.GroupVersion().WithKind(res.Kind)] = true
	}
	resources := s.collected()
	var ending []*record
	for i, look := range s.store.look(resources) {
		res := resources[i]
		for rec := range look.records("", nil, false) {
			if res.GroupResource() == namespaces {
				if over, _ := rec.terminating(); over {
					ending = append(ending, rec)
				}
			}
			g.note(res, rec)
		}
	}
	for _, rec := range ending {
		g.empty(rec)
	}
	for _, of := range g.owned {
		g.judge(of)
	}
	for _, holder := range g.holders {
		g.release(holder)
	}
	return g.acted
}

// collected is one resource for each table, always in the same order, so that
// a seed repeats.
func (s *Server) collected() (found []*resource) {
	seen := map[*table]bool{}
	all := slices.SortedFunc(maps.Values(s.registry.all()), func(a, b *resource) int {
		return cmp.Compare(a.GroupVersionResource.String(), b.GroupVersionResource.String())
	})
	for _, res := range all {
		if !seen[res.table] {
			seen[res.table] = true
			found = append(found, res)
		}
	}
	return found
}

// note reads of an object what the collector needs. Most have nothing of it but
// a uid.
func (g *garbage) note(res *resource, rec *record) {
	obj, err := decode(rec.raw)
	if err != nil {
		return
	}
	k := &kept{resource: res, record: rec, metadata: metadataOf(obj.Object)}
	g.alive[string(k.uid())] = k
	g.all = append(g.all, k)
	if bytes.Contains(rec.raw, []byte(`"ownerReferences"`)) && len(k.owners()) > 0 {
		g.owned = append(g.owned, k)
	}
	if isDeleting(k.metadata) && (k.has(metav1.FinalizerDeleteDependents) || k.has(metav1.FinalizerOrphanDependents)) {
		g.holders = append(g.holders, k)
	}
}

func (k *kept) uid() types.UID {
	uid, _ := k.metadata["uid"].(string)
	return types.UID(uid)
}

func (k *kept) has(finalizer string) bool {
	return slices.Contains(textsAt(k.metadata, "finalizers"), finalizer)
}

func (k *kept) owners() (references []map[string]any) {
	list, _ := k.metadata["ownerReferences"].([]any)
	for _, item := range list {
		if reference, ok := item.(map[string]any); ok {
			references = append(references, reference)
		}
	}
	return references
}

// call is one of the server itself, to an object.
func (k *kept) call(s *Server) *call {
	c := &call{server: s, w: noAnswer{}, r: new(http.Request).WithContext(s.alive), resource: k.resource}
	c.GroupVersionResource = k.resource.GroupVersionResource
	c.namespace, c.name = k.record.namespace, k.record.name
	return c
}

// noAnswer takes the warnings of calls that nobody waits for.
type noAnswer struct{}

func (noAnswer) Header() http.Header         { return http.Header{} }
func (noAnswer) Write(p []byte) (int, error) { return len(p), nil }
func (noAnswer) WriteHeader(int)             {}

// did notes what became of a write: a failure because somebody else was there
// is seen at the next look.
func (g *garbage) did(what string, k *kept, changed bool, err error) {
	g.acted = g.acted || err == nil && changed
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !errors.Is(err, context.Canceled) {
		g.server.options.logger().Error("apitest: "+what, "resource", k.resource.GroupResource(), "namespace", k.record.namespace, "name", k.record.name, "error", err)
	}
}

func (g *garbage) delete(k *kept, propagation metav1.DeletionPropagation) {
	uid, version := k.uid(), strconv.FormatUint(k.record.version, 10)
	rec, gone, err := k.call(g.server).remove(metav1.DeleteOptions{
		PropagationPolicy: &propagation, Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	g.did("delete what is garbage", k, gone || err == nil && rec.version != k.record.version, err)
}

// change an object; f reports whether there is anything to do.
func (g *garbage) change(what string, k *kept, subresource string, f func(object map[string]any)) {
	c := k.call(g.server)
	c.subresource = subresource
	rec, _, err := c.mutate(mutation{writeOptions: writeOptions{manager: "kube-controller-manager"}, uid: k.uid()}, func(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		next := current.DeepCopy()
		f(next.Object)
		return next, nil
	})
	g.did(what, k, err == nil && !reflect.DeepEqual(rec, k.record), err)
}

// empty deletes what is in a namespace that is ending, and lets that go when
// nothing is left.
func (g *garbage) empty(of *record) {
	left := false
	for _, k := range g.all {
		if k.record.namespace == of.name {
			left = true
			g.delete(k, metav1.DeletePropagationBackground)
		}
	}
	if left {
		return
	}
	for _, k := range g.all {
		if k.record == of {
			g.change("end a namespace", k, "finalize", func(object map[string]any) {
				names := slices.DeleteFunc(textsAt(object, "spec", "finalizers"), func(name string) bool { return name == "kubernetes" })
				setAt(object, anySlice(names), "spec", "finalizers")
			})
		}
	}
}

// judge deletes an object when all its owners are gone, or go and wait for it.
func (g *garbage) judge(k *kept) {
	waiting := false
	for _, reference := range k.owners() {
		uid, _ := reference["uid"].(string)
		owner := g.alive[uid]
		switch {
		case owner == nil && !g.known[kindOf(reference)]:
			return
		case owner == nil:
		case isDeleting(owner.metadata) && owner.has(metav1.FinalizerDeleteDependents):
			waiting = true
		default:
			return
		}
	}
	switch {
	case isDeleting(k.metadata):
	case waiting:
		g.delete(k, metav1.DeletePropagationForeground)
	default:
		g.delete(k, metav1.DeletePropagationBackground)
	}
}

func kindOf(reference map[string]any) schema.GroupVersionKind {
	version, _ := reference["apiVersion"].(string)
	kind, _ := reference["kind"].(string)
	return schema.FromAPIVersionAndKind(version, kind)
}

// release takes the collector's finalizer from an owner that need not wait for
// its dependents any more.
func (g *garbage) release(owner *kept) {
	uid := owner.metadata["uid"]
	mine := func(reference map[string]any) bool { return reference["uid"] == uid }
	orphans := owner.has(metav1.FinalizerOrphanDependents)
	for _, k := range g.owned {
		references := k.owners()
		if !slices.ContainsFunc(references, mine) {
			continue
		}
		if !orphans {
			if slices.ContainsFunc(references, func(reference map[string]any) bool { return mine(reference) && reference["blockOwnerDeletion"] == true }) {
				return
			}
			continue
		}
		g.change("leave an orphan behind", k, "", func(object map[string]any) {
			var others []any
			for _, reference := range (&kept{metadata: metadataOf(object)}).owners() {
				if !mine(reference) {
					others = append(others, reference)
				}
			}
			if others == nil {
				delete(metadataOf(object), "ownerReferences")
			} else {
				metadataOf(object)["ownerReferences"] = others
			}
		})
	}
	g.change("release an owner", owner, "", func(object map[string]any) {
		names := slices.DeleteFunc(textsAt(object, "metadata", "finalizers"), func(name string) bool {
			return name == metav1.FinalizerDeleteDependents || name == metav1.FinalizerOrphanDependents
		})
		setAt(object, anySlice(names), "metadata", "finalizers")
	})
}
