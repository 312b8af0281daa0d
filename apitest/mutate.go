package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/apitest/internal/definition"
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// mutation describes how an object is written.
type mutation struct {
	params.WriteOptions
	// orCreate creates the object if it does not exist.
	orCreate bool
	// uid is the required uid of the object; "" is any.
	uid types.UID
	// tracked is set for writes that have updated managedFields themselves, as
	// applies do.
	tracked bool
}

// mutate performs every change of an object, and creations by update and apply.
// f returns the next state for the newest one; the rules for updates are
// applied to it, and it is stored. If another write was faster, f is called
// again; if its result has a resourceVersion, that is then outdated, and the
// response is a conflict. f gets nil if the object does not exist and the
// mutation may create it. f must not modify its argument, nor retain its
// result.
//
// A write that changes nothing assigns no new version. A write that removes the
// last finalizer from an object that is being deleted deletes it: the returned
// record is then not stored.
func (c *call) mutate(m mutation, f func(current *unstructured.Unstructured) (*unstructured.Unstructured, error)) (rec *storage.Record, created bool, err error) {
	for {
		rec, created, err = c.mutateOnce(m, f)
		if !errors.Is(err, storage.ErrConflict) {
			return rec, created, err
		}
		if err := c.r.Context().Err(); err != nil {
			return nil, false, err
		}
	}
}

// definition.Prepare prepares CustomResourceDefinitions. For other kinds it does
// nothing.
func (c *call) prepareDefinition(next, current *unstructured.Unstructured) error {
	if c.GroupResource() != definition.GroupResource {
		return nil
	}
	found, err := definition.Prepare(next, current, c.Subresource)
	if err != nil {
		return err
	}
	return c.invalid(next, found)
}

func (c *call) mutateOnce(m mutation, f func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (rec *storage.Record, created bool, err error) {
	stored := c.resource.Table.Get(storage.Key{Namespace: c.Namespace, Name: c.Name})
	if stored == nil {
		return c.mutateNone(m, f)
	}
	current, err := c.decode(stored)
	if err != nil {
		return nil, false, err
	}
	if uid := current.GetUID(); m.uid != "" && m.uid != uid {
		return nil, false, c.otherUID(m.uid, uid)
	}
	c.AbortIfDone()
	next, err := f(current)
	if err != nil {
		return nil, false, err
	}
	c.AbortIfDone()
	if c.resource.Shape != nil {
		// Defaults depend on the other fields.
		c.resource.Shape.Default(next.Object, c.Tick)
	}
	if !m.tracked {
		if next, err = c.track(m.WriteOptions, current, next); err != nil {
			return nil, false, err
		}
	}
	c.AbortIfDone()
	if err := c.checkVersion(next, stored); err != nil {
		return nil, false, err
	}
	if err := c.prepareUpdate(next, current); err != nil {
		return nil, false, err
	}
	if c.resource.Finished(next.Object, current.Object) {
		rec, err = c.finish(m, stored, next)
		return rec, false, err
	}
	rec, err = c.replace(m.DryRun, stored, next)
	return rec, false, err
}

// mutateNone is mutate for an object that does not exist.
func (c *call) mutateNone(m mutation, f func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (*storage.Record, bool, error) {
	if !m.orCreate {
		return nil, false, apierrors.NewNotFound(c.GroupResource(), c.Name)
	}
	if m.uid != "" {
		return nil, false, c.otherUID(m.uid, "")
	}
	next, err := f(nil)
	if err != nil {
		return nil, false, err
	}
	rec, err := c.insert(m, next)
	if apierrors.IsAlreadyExists(err) && !m.DryRun {
		return nil, false, storage.ErrConflict
	}
	return rec, err == nil, err
}

// decode decodes a record in the version of the request.
func (c *call) decode(rec *storage.Record) (*unstructured.Unstructured, error) {
	obj, err := objects.Decode(rec.Raw)
	if err != nil {
		return nil, fmt.Errorf("decode the stored %s %s: %w", c.resource.Kind, rec.Name, err)
	}
	obj.Object["apiVersion"] = c.resource.GroupVersion().String()
	return obj, nil
}

// encode encodes an object in the version in which it is stored. Fields that
// only the version of the request has are lost.
func (c *call) encode(obj *unstructured.Unstructured) (objects.Draft, error) {
	if c.resource.Storage != c.resource.GroupVersion() {
		obj = obj.DeepCopy()
		obj.SetAPIVersion(c.resource.Storage.String())
		c.resource.Conform(obj.Object, c.Tick)
	}
	return objects.Encode(obj)
}

// otherUID returns the error for a write to another object of that name.
func (c *call) otherUID(want, got types.UID) error {
	at := "/registry/" + c.GroupVersionResource.Resource
	if c.resource.Custom {
		at = "/registry/" + c.Group + "/" + c.GroupVersionResource.Resource
	}
	if c.Namespace != "" {
		at += "/" + c.Namespace
	}
	return apierrors.NewConflict(c.GroupResource(), c.Name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s",
		at, c.Name, want, got))
}

// versionOf returns the resourceVersion of an object; 0 is none.
func versionOf(obj *unstructured.Unstructured) (uint64, error) {
	text := obj.GetResourceVersion()
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, response.PlainError(err.Error())
	}
	return version, nil
}

// checkVersion implements optimistic locking: a given version must be the
// current one. Some kinds require a version.
func (c *call) checkVersion(next *unstructured.Unstructured, stored *storage.Record) error {
	version, err := versionOf(next)
	switch {
	case err != nil:
		return err
	case version == 0 && !c.resource.Strategy.BlindUpdate:
		kind := schema.GroupKind{Group: c.Group, Kind: c.GroupVersionResource.Resource}
		return apierrors.NewInvalid(kind, c.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	case version != 0 && version != stored.Version:
		return apierrors.NewConflict(c.GroupResource(), c.Name, errors.New(
			"the object has been modified; please apply your changes to the latest version and try again"))
	}
	next.SetResourceVersion(strconv.FormatUint(stored.Version, 10))
	return nil
}

// prepareUpdate makes next a valid successor of current.
func (c *call) prepareUpdate(next, current *unstructured.Unstructured) error {
	if err := c.placeInNamespace(next); err != nil {
		return err
	}
	c.resource.PrepareUpdate(c.Subresource, next.Object, current.Object)
	if err := c.prepareDefinition(next, current); err != nil {
		return err
	}
	if c.resource.Strategy.Complete != nil {
		c.resource.Strategy.Complete(next.Object)
	}
	metadata, before := objects.Metadata(next.Object), objects.Metadata(current.Object)
	if metadata["uid"] == nil {
		objects.Copy(metadata, before, "uid")
	}
	objects.Copy(metadata, before, "creationTimestamp")
	if before["deletionTimestamp"] != nil {
		objects.Copy(metadata, before, "deletionTimestamp")
	}
	if metadata["deletionGracePeriodSeconds"] == nil {
		objects.Copy(metadata, before, "deletionGracePeriodSeconds")
	}
	if err := c.validateUpdate(next, current); err != nil {
		return err
	}
	if c.Subresource == "" {
		c.warnOfFinalizers(next, current.GetFinalizers())
	}
	keepTimes(next.Object, current.Object)
	return nil
}

// keepTimes keeps managedFields unchanged if only their times differ and the
// object is unchanged.
func keepTimes(next, current map[string]any) {
	fields, _ := objects.Metadata(next)["managedFields"].([]any)
	were, _ := objects.Metadata(current)["managedFields"].([]any)
	if len(fields) != len(were) || reflect.DeepEqual(fields, were) {
		return
	}
	for i := range fields {
		entry, _ := fields[i].(map[string]any)
		old, _ := were[i].(map[string]any)
		if !objects.EqualExcept("time", entry, old) {
			return
		}
	}
	metadata, before := objects.Metadata(next), objects.Metadata(current)
	if objects.EqualExcept("metadata", next, current) && objects.EqualExcept("managedFields", metadata, before) {
		metadata["managedFields"] = were
	}
}

// finish deletes an object by an update. Watches get the state that was stored
// last; the writer gets the object that it sent.
func (c *call) finish(m mutation, stored *storage.Record, next *unstructured.Unstructured) (*storage.Record, error) {
	text, err := c.encode(next)
	if err != nil {
		return nil, err
	}
	if !m.DryRun {
		if _, err := c.resource.Table.Remove(stored); err != nil {
			return nil, err
		}
		c.server.reconcileDefinitionsAfter(c.resource, true)
	}
	return &storage.Record{Key: stored.Key, Version: stored.Version, Raw: text.At(stored.Version)}, nil
}

// replace stores next in place of stored, unless they are equal.
func (c *call) replace(dryRun bool, stored *storage.Record, next *unstructured.Unstructured) (*storage.Record, error) {
	text, err := c.encode(next)
	if err != nil {
		return nil, err
	}
	c.AbortIfDone()
	if stored.IsState(text) {
		return stored, nil
	}
	if dryRun {
		return &storage.Record{Key: stored.Key, Version: stored.Version, Raw: text.At(stored.Version)}, nil
	}
	rec, err := c.resource.Table.Commit(stored.Key, stored, text)
	if err == nil {
		c.server.reconcileDefinitionsAfter(c.resource, false)
	}
	return rec, err
}

// unstored returns the record that a dry run would have created. It has no
// version.
func unstored(k storage.Key, obj *unstructured.Unstructured) (*storage.Record, error) {
	obj.SetResourceVersion("")
	raw, err := json.Marshal(obj.Object)
	return &storage.Record{Key: k, Raw: raw}, err
}

// track records the changes from live, nil for a new object, in next's
// managedFields, under the manager of the write. Writers of the scale of a
// custom resource are not recorded.
func (c *call) track(o params.WriteOptions, live, next *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if c.Subresource == "scale" && c.resource.Custom {
		return next, nil
	}
	return c.resource.FieldManagers().Track(c, c.Subresource, o.Manager, next, live)
}
