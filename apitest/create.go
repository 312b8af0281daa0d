package apitest

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// create answers a POST.
func (c *call) create() error {
	options, err := c.createOptions()
	if err != nil {
		return err
	}
	obj, err := c.readObject(options)
	if err != nil {
		return err
	}
	rec, err := c.insert(mutation{writeOptions: options}, obj)
	if err != nil {
		return err
	}
	return c.answer(http.StatusCreated, rec.raw)
}

// insert stores a new object, with all that the server gives it.
func (c *call) insert(m mutation, obj *unstructured.Unstructured) (*record, error) {
	metadata := metadataOf(obj.Object)
	for _, name := range []string{"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(metadata, name)
	}
	if err := c.placeInNamespace(obj); err != nil {
		return nil, err
	}
	if c.resource.strategy.complete != nil {
		c.resource.strategy.complete(obj.Object)
	}
	if !m.tracked {
		tracked, err := c.track(m.writeOptions, nil, obj)
		if err != nil {
			return nil, err
		}
		obj, metadata = tracked, metadataOf(tracked.Object)
	}
	if _, err := c.checkNamespace(obj); err != nil {
		return nil, err
	}
	if c.resource.terminating {
		return nil, apierrors.NewForbidden(c.GroupResource(), nameOrPrefix(obj), errors.New("create not allowed while custom resource definition is terminating"))
	}
	metadata["creationTimestamp"] = now()
	metadata["uid"] = string(c.server.identities.uid())
	c.resource.prepareCreate(obj.Object)
	return c.insertNamed(m, obj)
}

// namings is how often a generated name is drawn before one that is taken is
// reported.
const namings = 8

// insertNamed gives the object a name if it has none, and stores it.
func (c *call) insertNamed(m mutation, obj *unstructured.Unstructured) (rec *record, err error) {
	prefix := obj.GetGenerateName()
	if obj.GetName() != "" || prefix == "" {
		return c.insertOnce(m, obj)
	}
	for range namings {
		obj.SetName(c.server.identities.name(prefix))
		if c.resource.strategy.complete != nil {
			c.resource.strategy.complete(obj.Object)
		}
		rec, err = c.insertOnce(m, obj)
		if !apierrors.IsAlreadyExists(err) {
			return rec, err
		}
	}
	return nil, err
}

func (c *call) insertOnce(m mutation, obj *unstructured.Unstructured) (*record, error) {
	if err := c.prepareDefinition(obj, nil); err != nil {
		return nil, err
	}
	if err := c.validateCreate(obj); err != nil {
		return nil, err
	}
	switch version, err := versionOf(obj); {
	case err != nil && m.orCreate:
		return nil, err
	case version != 0 && !m.orCreate:
		return nil, plainError("resourceVersion should not be set on objects to be created")
	}
	c.warnOfFinalizers(obj, nil)
	if m.orCreate {
		if err := c.mayCreate(); err != nil {
			return nil, err
		}
	}
	k := key{c.namespace, obj.GetName()}
	if m.dryRun {
		if was := c.resource.table.get(k); was != nil {
			return nil, c.alreadyThere(obj, was)
		}
		return unstored(k, obj)
	}
	text, err := c.encode(obj)
	if err != nil {
		return nil, err
	}
	rec, err := c.commitNew(k, obj, text)
	if errors.Is(err, errMoved) {
		return nil, c.alreadyThere(obj, c.resource.table.get(k))
	}
	if err == nil {
		c.server.settleAfter(c.resource, false)
	}
	return rec, err
}

// commitNew stores a new object while its namespace stands.
func (c *call) commitNew(k key, obj *unstructured.Unstructured, text draft) (*record, error) {
	for {
		in, err := c.checkNamespace(obj)
		if err != nil {
			return nil, err
		}
		var all *table
		if in != nil {
			all = c.server.registry.find(namespaces.WithVersion("v1")).table
		}
		rec, err := c.resource.table.create(k, text, all, in)
		if !errors.Is(err, errNoLonger) {
			return rec, err
		}
	}
}

// mayCreate is whether who asks for something else, an update or an apply, may
// create what is not there.
func (c *call) mayCreate() error {
	wants := c.attributes(true)
	wants.Verb = "create"
	if allowed, reason := c.server.allows(wants); !allowed {
		return forbidden(wants, reason)
	}
	return nil
}

// alreadyThere is the answer to a name that is taken by was, nil when that has
// just gone.
func (c *call) alreadyThere(obj *unstructured.Unstructured, was *record) error {
	err := apierrors.NewAlreadyExists(c.GroupResource(), obj.GetName())
	if obj.GetGenerateName() != "" {
		err = apierrors.NewGenerateNameConflict(c.GroupResource(), obj.GetName(), 1)
	}
	if was == nil {
		return err
	}
	if current, broken := decode(was.raw); broken == nil && isDeleting(metadataOf(current.Object)) {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return err
}

// placeInNamespace gives the object the namespace of the path.
func (c *call) placeInNamespace(obj *unstructured.Unstructured) error {
	metadata := metadataOf(obj.Object)
	given, _ := metadata["namespace"].(string)
	switch {
	case c.namespace == "":
		delete(metadata, "namespace")
	case given == "":
		metadata["namespace"] = c.namespace
	case given != c.namespace:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// checkNamespace: objects are created in namespaces that are there to stay. It
// returns the namespace. Where namespaces are not served, there is none that
// could be missing.
func (c *call) checkNamespace(obj *unstructured.Unstructured) (in *record, err error) {
	all := c.server.registry.find(namespaces.WithVersion("v1"))
	if c.namespace == "" || all == nil {
		return nil, nil
	}
	if in = all.table.get(key{name: c.namespace}); in == nil {
		return nil, apierrors.NewNotFound(namespaces, c.namespace)
	}
	ending, err := in.terminating()
	if err != nil || !ending {
		return in, err
	}
	refused := apierrors.NewForbidden(c.GroupResource(), nameOrPrefix(obj), fmt.Errorf("unable to create new content in namespace %s because it is being terminated", c.namespace))
	refused.ErrStatus.Details.Causes = append(refused.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    "NamespaceTerminating",
		Message: fmt.Sprintf("namespace %s is being terminated", c.namespace),
		Field:   "metadata.namespace",
	})
	return nil, refused
}

// nameOrPrefix is how messages call an object that may have no name yet.
func nameOrPrefix(obj *unstructured.Unstructured) string {
	if name := obj.GetName(); name != "" {
		return name
	}
	return obj.GetGenerateName()
}
