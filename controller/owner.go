package controller

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/rest"
)

// Owned is an object with owner references.
type Owned interface {
	rest.Object
	GetOwnerReferences() []metav1.OwnerReference
}

// Ownable is an object whose owner references can be set. Every type that embeds
// metav1.ObjectMeta implements it.
type Ownable interface {
	Owned
	SetOwnerReferences([]metav1.OwnerReference)
}

// SetControllerReference makes owner the controller of obj. info describes the
// resource of owner. The reference is added to obj's owner references and is sent with
// obj. When owner is deleted, the garbage collector deletes obj. When obj changes,
// Owns enqueues the key of owner.
//
//	err := controller.SetControllerReference(widget, widgets.ResourceInfo(), pod)
//
// It is idempotent: an object has one reference to an owner. An owner that was deleted
// and created again with the same name is a different owner.
//
// Possible errors: *AlreadyOwnedError, ErrControllerReference. On an error obj is unchanged.
func SetControllerReference(owner rest.Object, info rest.ResourceInfo, obj Ownable) error {
	if err := validateOwner(owner, info, obj); err != nil {
		return err
	}
	yes := true
	ref := metav1.OwnerReference{
		APIVersion: info.GroupVersion().String(), Kind: info.Kind, Name: owner.GetName(), UID: owner.GetUID(),
		Controller: &yes, BlockOwnerDeletion: &yes,
	}
	refs := slices.Clone(obj.GetOwnerReferences())
	own := -1
	for i := range refs {
		switch {
		case refs[i].UID == ref.UID:
			own = i
		case isController(&refs[i]):
			return &AlreadyOwnedError{Namespace: obj.GetNamespace(), Name: obj.GetName(), Owner: refs[i], Wanted: ref}
		}
	}
	if own < 0 {
		refs = append(refs, ref)
	} else {
		refs[own] = ref
	}
	obj.SetOwnerReferences(refs)
	return nil
}

func validateOwner(owner rest.Object, info rest.ResourceInfo, obj Ownable) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrControllerReference, fmt.Sprintf(format, args...))
	}
	switch {
	case nilcheck.IsNilPointer(owner):
		return wrong("the owner is nil")
	case nilcheck.IsNilPointer(obj):
		return wrong("the object is nil")
	case info.Kind == "" || info.Version == "":
		return wrong("the ResourceInfo of the owner %q has no kind, or no version", owner.GetName())
	case owner.GetUID() == "" || owner.GetName() == "":
		return wrong("the owner, %s %q, has no uid or no name: pass an object that was read from the server", info.Kind, owner.GetName())
	case !info.Namespaced || owner.GetNamespace() == obj.GetNamespace():
		return nil
	case obj.GetNamespace() == "":
		return wrong("the object %q has no namespace, and its owner is %s %s/%s: set the object's namespace first; a cluster-scoped object cannot have a namespaced owner",
			obj.GetName(), info.Kind, owner.GetNamespace(), owner.GetName())
	default:
		return wrong("the object %q is in namespace %q, and its owner is %s %s/%s: the owner must be in the same namespace or cluster-scoped",
			obj.GetName(), obj.GetNamespace(), info.Kind, owner.GetNamespace(), owner.GetName())
	}
}

// AlreadyOwnedError reports that an object already has another controller.
type AlreadyOwnedError struct {
	// Namespace and Name identify the object.
	Namespace, Name string
	// Owner is the existing controller, Wanted the rejected one.
	Owner, Wanted metav1.OwnerReference
}

// Error implements error.
func (e *AlreadyOwnedError) Error() string {
	return fmt.Sprintf("controller: %s %s (uid %s) cannot be the controller of %q, which is already controlled by %s %s (uid %s)",
		e.Wanted.Kind, e.Wanted.Name, e.Wanted.UID, Request{Namespace: e.Namespace, Name: e.Name}, e.Owner.Kind, e.Owner.Name, e.Owner.UID)
}

func isController(ref *metav1.OwnerReference) bool { return ref.Controller != nil && *ref.Controller }

// validateOwners returns an error if For was called with two kinds and Owns is used:
// the keys of the owners could not be distinguished. Versions of one kind count as one
// kind.
func (c *Controller) validateOwners() error {
	owners := c.ownerKinds()
	first := owners[0].GroupVersionKind().GroupKind()
	for _, other := range owners[1:] {
		if kind := other.GroupVersionKind().GroupKind(); kind != first {
			return fmt.Errorf("%w: %s: For was called with %s and %s", ErrAmbiguousOwner, c.name, first, kind)
		}
	}
	return nil
}

// ownerRequests returns the key of obj's controller, if that is of one of the given
// kinds, in any version of its group.
func ownerRequests(obj Owned, owners []rest.ResourceInfo) []Request {
	refs := obj.GetOwnerReferences()
	for i := range refs {
		ref := &refs[i]
		if !isController(ref) {
			continue
		}
		gv, err := schema.ParseGroupVersion(ref.APIVersion)
		if err != nil {
			continue
		}
		for _, owner := range owners {
			if ref.Kind != owner.Kind || gv.Group != owner.Group {
				continue
			}
			req := Request{Name: ref.Name}
			if owner.Namespaced {
				req.Namespace = obj.GetNamespace()
			}
			return []Request{req}
		}
	}
	return nil
}
