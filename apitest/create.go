package apitest

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// create serves a POST.
func (c *call) create() error {
	options, err := params.ParseCreate(c.query, c.r.UserAgent())
	if err != nil {
		return err
	}
	obj, err := c.readObject(options)
	if err != nil {
		return err
	}
	rec, err := c.insert(mutation{WriteOptions: options}, obj)
	if err != nil {
		return err
	}
	return c.respond(http.StatusCreated, rec.Raw)
}

// insert stores a new object with the fields that the server sets.
func (c *call) insert(m mutation, obj *unstructured.Unstructured) (*storage.Record, error) {
	metadata := objects.Metadata(obj.Object)
	for _, name := range []string{"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(metadata, name)
	}
	if err := c.placeInNamespace(obj); err != nil {
		return nil, err
	}
	if c.resource.Strategy.Complete != nil {
		c.resource.Strategy.Complete(obj.Object)
	}
	if !m.tracked {
		tracked, err := c.track(m.WriteOptions, nil, obj)
		if err != nil {
			return nil, err
		}
		obj, metadata = tracked, objects.Metadata(tracked.Object)
	}
	c.AbortIfDone()
	if _, err := c.checkNamespace(obj); err != nil {
		return nil, err
	}
	if c.resource.Terminating {
		return nil, apierrors.NewForbidden(c.GroupResource(), nameOrPrefix(obj), errors.New("create not allowed while custom resource definition is terminating"))
	}
	metadata["creationTimestamp"] = objects.Now()
	metadata["uid"] = string(c.server.identities.UID())
	c.resource.PrepareCreate(obj.Object)
	return c.insertNamed(m, obj)
}

// maxNameAttempts is the number of generated names that are tried before a
// conflict is reported.
const maxNameAttempts = 8

// insertNamed stores the object, and generates a name if it has none.
func (c *call) insertNamed(m mutation, obj *unstructured.Unstructured) (rec *storage.Record, err error) {
	prefix := obj.GetGenerateName()
	if obj.GetName() != "" || prefix == "" {
		return c.insertOnce(m, obj)
	}
	for range maxNameAttempts {
		obj.SetName(c.server.identities.Name(prefix))
		if c.resource.Strategy.Complete != nil {
			c.resource.Strategy.Complete(obj.Object)
		}
		rec, err = c.insertOnce(m, obj)
		if !apierrors.IsAlreadyExists(err) {
			return rec, err
		}
	}
	return nil, err
}

func (c *call) insertOnce(m mutation, obj *unstructured.Unstructured) (*storage.Record, error) {
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
		return nil, response.PlainError("resourceVersion should not be set on objects to be created")
	}
	c.warnOfFinalizers(obj, nil)
	if m.orCreate {
		if err := c.mayCreate(); err != nil {
			return nil, err
		}
	}
	k := storage.Key{Namespace: c.Namespace, Name: obj.GetName()}
	if m.DryRun {
		if existing := c.resource.Table.Get(k); existing != nil {
			return nil, c.alreadyExists(obj, existing)
		}
		return unstored(k, obj)
	}
	text, err := c.encode(obj)
	if err != nil {
		return nil, err
	}
	c.AbortIfDone()
	rec, err := c.commitNew(k, obj, text)
	if errors.Is(err, storage.ErrConflict) {
		return nil, c.alreadyExists(obj, c.resource.Table.Get(k))
	}
	if err == nil {
		c.server.reconcileDefinitionsAfter(c.resource, false)
	}
	return rec, err
}

// commitNew stores a new object unless its namespace is being deleted.
func (c *call) commitNew(k storage.Key, obj *unstructured.Unstructured, text objects.Draft) (*storage.Record, error) {
	for {
		namespace, err := c.checkNamespace(obj)
		if err != nil {
			return nil, err
		}
		var all *storage.Table
		if namespace != nil {
			all = c.server.registry.Find(registry.Namespaces.WithVersion("v1")).Table
		}
		rec, err := c.resource.Table.Create(k, text, all, namespace)
		if !errors.Is(err, storage.ErrNamespaceChanged) {
			return rec, err
		}
	}
}

// mayCreate authorizes the creation of an object by an update or an apply.
func (c *call) mayCreate() error {
	attributes := c.attributes(true)
	attributes.Verb = "create"
	if allowed, reason := c.server.allows(attributes); !allowed {
		return forbidden(attributes, reason)
	}
	return nil
}

// alreadyExists returns the error for a name that is in use. existing is nil if
// it has just been deleted.
func (c *call) alreadyExists(obj *unstructured.Unstructured, existing *storage.Record) error {
	err := apierrors.NewAlreadyExists(c.GroupResource(), obj.GetName())
	if obj.GetGenerateName() != "" {
		err = apierrors.NewGenerateNameConflict(c.GroupResource(), obj.GetName(), 1)
	}
	if existing == nil {
		return err
	}
	if current, broken := objects.Decode(existing.Raw); broken == nil && objects.IsDeleting(objects.Metadata(current.Object)) {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return err
}

// placeInNamespace gives the object the namespace of the path.
func (c *call) placeInNamespace(obj *unstructured.Unstructured) error {
	metadata := objects.Metadata(obj.Object)
	given, _ := metadata["namespace"].(string)
	switch {
	case c.Namespace == "":
		delete(metadata, "namespace")
	case given == "":
		metadata["namespace"] = c.Namespace
	case given != c.Namespace:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// checkNamespace returns the namespace of a new object. It fails if the
// namespace is missing or being deleted. It returns nil if namespaces are not
// served.
func (c *call) checkNamespace(obj *unstructured.Unstructured) (namespace *storage.Record, err error) {
	all := c.server.registry.Find(registry.Namespaces.WithVersion("v1"))
	if c.Namespace == "" || all == nil {
		return nil, nil
	}
	if namespace = all.Table.Get(storage.Key{Name: c.Namespace}); namespace == nil {
		return nil, apierrors.NewNotFound(registry.Namespaces, c.Namespace)
	}
	ending, err := isTerminating(namespace)
	if err != nil || !ending {
		return namespace, err
	}
	refused := apierrors.NewForbidden(c.GroupResource(), nameOrPrefix(obj), fmt.Errorf("unable to create new content in namespace %s because it is being terminated", c.Namespace))
	refused.ErrStatus.Details.Causes = append(refused.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    "NamespaceTerminating",
		Message: fmt.Sprintf("namespace %s is being terminated", c.Namespace),
		Field:   "metadata.namespace",
	})
	return nil, refused
}

// nameOrPrefix returns the name of an object, or its generateName, for
// messages.
func nameOrPrefix(obj *unstructured.Unstructured) string {
	if name := obj.GetName(); name != "" {
		return name
	}
	return obj.GetGenerateName()
}
