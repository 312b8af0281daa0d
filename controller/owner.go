package controller

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// Owned is an object that says who owns it.
type Owned interface {
	rest.Object
	GetOwnerReferences() []metav1.OwnerReference
}

// Ownable is an object that can be given an owner. Whatever embeds
// metav1.ObjectMeta is one.
type Ownable interface {
	Owned
	SetOwnerReferences([]metav1.OwnerReference)
}

// SetControllerReference makes owner, an object of the resource info, the
// controller of obj. That is written into obj's owner references, and sent with
// obj. When owner is gone the garbage collector deletes obj, and Owns brings
// owner's key when obj changes.
//
//	err := controller.SetControllerReference(widget, widgets.ResourceInfo(), pod)
//
// Again does no harm: an object has one reference to an owner. An owner that was
// deleted and made again under its name is another one.
//
// Possible errors: *AlreadyOwnedError; ErrOwner. Then obj is as it was.
func SetControllerReference(owner rest.Object, info rest.ResourceInfo, obj Ownable) error {
	if err := wrongOwner(owner, info, obj); err != nil {
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

func wrongOwner(owner rest.Object, info rest.ResourceInfo, obj Ownable) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrOwner, fmt.Sprintf(format, args...))
	}
	switch {
	case isNil(owner):
		return wrong("the owner is nil")
	case isNil(obj):
		return wrong("the object is nil")
	case info.Kind == "" || info.Version == "":
		return wrong("the ResourceInfo of the owner %q has no kind, or no version", owner.GetName())
	case owner.GetUID() == "" || owner.GetName() == "":
		return wrong("the owner, %s %q, has no uid or no name: give one that was read from the server", info.Kind, owner.GetName())
	case !info.Namespaced || owner.GetNamespace() == obj.GetNamespace():
		return nil
	case obj.GetNamespace() == "":
		return wrong("the object %q has no namespace, and its owner is %s %s/%s: set the object's namespace first; what is not in namespaces cannot have such an owner",
			obj.GetName(), info.Kind, owner.GetNamespace(), owner.GetName())
	default:
		return wrong("the object %q is in namespace %q, and its owner is %s %s/%s: an owner is of the same namespace, or of none",
			obj.GetName(), obj.GetNamespace(), info.Kind, owner.GetNamespace(), owner.GetName())
	}
}

// AlreadyOwnedError says that an object has another controller.
type AlreadyOwnedError struct {
	// Namespace and Name are the object's.
	Namespace, Name string
	// Owner is its controller, and Wanted what was to be.
	Owner, Wanted metav1.OwnerReference
}

// Error implements error.
func (e *AlreadyOwnedError) Error() string {
	return fmt.Sprintf("controller: %s %s (uid %s) cannot be the controller of %q: that is %s %s (uid %s)",
		e.Wanted.Kind, e.Wanted.Name, e.Wanted.UID, Request{Namespace: e.Namespace, Name: e.Name}, e.Owner.Kind, e.Owner.Name, e.Owner.UID)
}

func isController(ref *metav1.OwnerReference) bool { return ref.Controller != nil && *ref.Controller }

// mayOwn notes what a For watches.
func (c *Controller) mayOwn(info rest.ResourceInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil && info.Kind != "" {
		c.owners = append(c.owners, info)
	}
}

// controllerOf is the key of the controller of an object, if that is of one of
// these kinds, in whatever version of its group.
func controllerOf(obj Owned, owners []rest.ResourceInfo) []Request {
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
