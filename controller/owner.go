package controller

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// SetControllerReference makes owner, which is of the kind that info names, the
// controller of obj: it is written into obj's owner references, and not sent
// anywhere. The garbage collector deletes obj when owner is gone, and Owns brings
// owner's key when obj changes.
func SetControllerReference(owner rest.Object, info rest.ResourceInfo, obj interface {
	Owned
	SetOwnerReferences([]metav1.OwnerReference)
}) error {
	if owner.GetUID() == "" {
		return errors.New("controller: the owner has no uid")
	}
	yes := true
	obj.SetOwnerReferences(append(obj.GetOwnerReferences(), metav1.OwnerReference{
		APIVersion: info.GroupVersion().String(), Kind: info.Kind, Name: owner.GetName(), UID: owner.GetUID(),
		Controller: &yes, BlockOwnerDeletion: &yes,
	}))
	return nil
}
