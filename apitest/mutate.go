package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// mutation says how an object is to be written.
type mutation struct {
	writeOptions
	// orCreate makes an object where there is none.
	orCreate bool
	// uid that the object must have; "" is any.
	uid types.UID
	// tracked is set by writes that have entered their fields into managedFields
	// themselves, as applies do.
	tracked bool
}

// mutate is the one way in which an object is changed, and created by those who
// do not ask for that: f makes the next state from the newest one, the rules of
// updates are applied to it, and it is stored. When somebody else was faster, f
// is asked again; where its result names a version, that is then the wrong one,
// and the answer a conflict. f gets nil when there is no object and the mutation
// may create it. It must not change what it gets, nor keep what it returns.
//
// A write that changes nothing gives no new version. One that takes the last
// finalizer from an object that is being deleted deletes it: the record that is
// returned is then not stored.
func (c *call) mutate(m mutation, f func(current *unstructured.Unstructured) (*unstructured.Unstructured, error)) (rec *record, created bool, err error) {
	for {
		rec, created, err = c.mutateOnce(m, f)
		if !errors.Is(err, errMoved) {
			return rec, created, err
		}
		if err := c.r.Context().Err(); err != nil {
			return nil, false, err
		}
	}
}

// prepareDefinition does nothing for other kinds than definitions of custom
// resources.
func (c *call) prepareDefinition(next, current *unstructured.Unstructured) error {
	if c.GroupResource() != definitionsResource {
		return nil
	}
	found, err := prepareDefinition(next, current, c.subresource)
	if err != nil {
		return err
	}
	return c.invalid(next, found)
}

func (c *call) mutateOnce(m mutation, f func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (rec *record, created bool, err error) {
	was := c.resource.table.get(key{c.namespace, c.name})
	if was == nil {
		return c.mutateNone(m, f)
	}
	current, err := c.decode(was)
	if err != nil {
		return nil, false, err
	}
	if uid := current.GetUID(); m.uid != "" && m.uid != uid {
		return nil, false, c.otherUID(m.uid, uid)
	}
	next, err := f(current)
	if err != nil {
		return nil, false, err
	}
	if c.resource.shape != nil {
		// What is filled in depends on what else is there.
		c.resource.shape.Default(next.Object)
	}
	if !m.tracked {
		if next, err = c.track(m.writeOptions, current, next); err != nil {
			return nil, false, err
		}
	}
	if err := c.checkVersion(next, was); err != nil {
		return nil, false, err
	}
	if err := c.prepareUpdate(next, current); err != nil {
		return nil, false, err
	}
	if c.resource.finished(next.Object, current.Object) {
		rec, err = c.finish(m, was, next)
		return rec, false, err
	}
	rec, err = c.replace(m.dryRun, was, next)
	return rec, false, err
}

// mutateNone is mutate where there is no object.
func (c *call) mutateNone(m mutation, f func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (*record, bool, error) {
	if !m.orCreate {
		return nil, false, apierrors.NewNotFound(c.GroupResource(), c.name)
	}
	if m.uid != "" {
		return nil, false, c.otherUID(m.uid, "")
	}
	next, err := f(nil)
	if err != nil {
		return nil, false, err
	}
	rec, err := c.insert(m, next)
	if apierrors.IsAlreadyExists(err) && !m.dryRun {
		return nil, false, errMoved
	}
	return rec, err == nil, err
}

// decode reads a record in the version that the request is about.
func (c *call) decode(rec *record) (*unstructured.Unstructured, error) {
	obj, err := decode(rec.raw)
	if err != nil {
		return nil, fmt.Errorf("decode %s %s as it is stored: %w", c.resource.Kind, rec.name, err)
	}
	obj.Object["apiVersion"] = c.resource.GroupVersion().String()
	return obj, nil
}

// encode writes an object in the version in which it is stored: what only the
// version of the request has a field for is lost.
func (c *call) encode(obj *unstructured.Unstructured) (draft, error) {
	if c.resource.storage != c.resource.GroupVersion() {
		obj = obj.DeepCopy()
		obj.SetAPIVersion(c.resource.storage.String())
		if c.resource.stored != nil {
			c.resource.stored.Prune(obj.Object)
			c.resource.stored.Default(obj.Object)
			c.resource.stored.DropNulls(obj.Object)
		}
	}
	return encode(obj)
}

// otherUID is the answer to a write that is about another object of that name.
func (c *call) otherUID(want, got types.UID) error {
	at := "/registry/" + c.GroupVersionResource.Resource
	if c.resource.custom {
		at = "/registry/" + c.Group + "/" + c.GroupVersionResource.Resource
	}
	if c.namespace != "" {
		at += "/" + c.namespace
	}
	return apierrors.NewConflict(c.GroupResource(), c.name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s",
		at, c.name, want, got))
}

// versionOf the state that an object says it is about; 0 is none.
func versionOf(obj *unstructured.Unstructured) (uint64, error) {
	text := obj.GetResourceVersion()
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, plainError(err.Error())
	}
	return version, nil
}

// plainError is a failure for which the real server gives no reason.
func plainError(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message,
	}}
}

// checkVersion is the optimistic lock: who names a version means no other. Some
// kinds want one to be named.
func (c *call) checkVersion(next *unstructured.Unstructured, was *record) error {
	version, err := versionOf(next)
	switch {
	case err != nil:
		return err
	case version == 0 && !c.resource.strategy.blindUpdate:
		kind := schema.GroupKind{Group: c.Group, Kind: c.GroupVersionResource.Resource}
		return apierrors.NewInvalid(kind, c.name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	case version != 0 && version != was.version:
		return apierrors.NewConflict(c.GroupResource(), c.name, errors.New(
			"the object has been modified; please apply your changes to the latest version and try again"))
	}
	next.SetResourceVersion(strconv.FormatUint(was.version, 10))
	return nil
}

// prepareUpdate makes next a legal successor of current.
func (c *call) prepareUpdate(next, current *unstructured.Unstructured) error {
	if err := c.placeInNamespace(next); err != nil {
		return err
	}
	c.resource.prepareUpdate(c.subresource, next.Object, current.Object)
	if err := c.prepareDefinition(next, current); err != nil {
		return err
	}
	if c.resource.strategy.complete != nil {
		c.resource.strategy.complete(next.Object)
	}
	metadata, was := metadataOf(next.Object), metadataOf(current.Object)
	if metadata["uid"] == nil {
		keep(metadata, was, "uid")
	}
	keep(metadata, was, "creationTimestamp")
	if was["deletionTimestamp"] != nil {
		keep(metadata, was, "deletionTimestamp")
	}
	if metadata["deletionGracePeriodSeconds"] == nil {
		keep(metadata, was, "deletionGracePeriodSeconds")
	}
	if err := c.validateUpdate(next, current); err != nil {
		return err
	}
	if c.subresource == "" {
		c.warnOfFinalizers(next, current.GetFinalizers())
	}
	keepTimes(next.Object, current.Object)
	return nil
}

// keepTimes leaves managedFields as they were when nothing in them or in the
// object differs but their times.
func keepTimes(next, current map[string]any) {
	fields, _ := metadataOf(next)["managedFields"].([]any)
	were, _ := metadataOf(current)["managedFields"].([]any)
	if len(fields) != len(were) || reflect.DeepEqual(fields, were) {
		return
	}
	for i := range fields {
		entry, _ := fields[i].(map[string]any)
		old, _ := were[i].(map[string]any)
		if !equalBut("time", entry, old) {
			return
		}
	}
	metadata, was := metadataOf(next), metadataOf(current)
	if equalBut("metadata", next, current) && equalBut("managedFields", metadata, was) {
		metadata["managedFields"] = were
	}
}

// equalBut compares two objects but for one field.
func equalBut(name string, a, b map[string]any) bool {
	for of, value := range a {
		if other, ok := b[of]; of != name && (!ok || !reflect.DeepEqual(value, other)) {
			return false
		}
	}
	for of := range b {
		if _, ok := a[of]; of != name && !ok {
			return false
		}
	}
	return true
}

// finished tells whether next is the end of an object that is being deleted.
func (r *resource) finished(next, current map[string]any) bool {
	metadata, was := metadataOf(next), metadataOf(current)
	if !isDeleting(was) || len(textsAt(metadata, "finalizers")) > 0 {
		return false
	}
	if grace, _ := was["deletionGracePeriodSeconds"].(int64); grace != 0 {
		return false
	}
	return r.GroupResource() != namespaces || len(textsAt(next, "spec", "finalizers")) == 0
}

// finish deletes an object by an update. Watchers get the state that was stored
// last; who made the update gets what it sent.
func (c *call) finish(m mutation, was *record, next *unstructured.Unstructured) (*record, error) {
	text, err := c.encode(next)
	if err != nil {
		return nil, err
	}
	if !m.dryRun {
		if _, err := c.resource.table.remove(was); err != nil {
			return nil, err
		}
		c.server.settleAfter(c.resource, true)
	}
	return &record{key: was.key, version: was.version, raw: text.at(was.version)}, nil
}

// replace stores next in the place of was, unless they are the same.
func (c *call) replace(dryRun bool, was *record, next *unstructured.Unstructured) (*record, error) {
	text, err := c.encode(next)
	if err != nil {
		return nil, err
	}
	if text.is(was) {
		return was, nil
	}
	if dryRun {
		return &record{key: was.key, version: was.version, raw: text.at(was.version)}, nil
	}
	rec, err := c.resource.table.commit(was.key, was, text)
	if err == nil {
		c.server.settleAfter(c.resource, false)
	}
	return rec, err
}

// is tells whether a record has this text, whatever its version.
func (d draft) is(rec *record) bool {
	has := rec.draft()
	return bytes.Equal(d.before, has.before) && bytes.Equal(d.after, has.after)
}

// unstored is a record of what a dry run would have created. It has no version.
func unstored(k key, obj *unstructured.Unstructured) (*record, error) {
	obj.SetResourceVersion("")
	raw, err := json.Marshal(obj.Object)
	return &record{key: k, raw: raw}, err
}
