package objects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Manage sets the managed fields that a server would keep for the object: one entry for
// the writer of the spec and one for the writer of the status. As on a server, they
// name every field that is set, so they are about a third of many objects.
func Manage(object runtime.Object, manager, statusManager string) error {
	accessor, err := apimeta.Accessor(object)
	if err != nil {
		return fmt.Errorf("manage the fields of a %T: %w", object, err)
	}
	accessor.SetManagedFields(nil)
	whole, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.DeepCopyObject()) // an untyped one would be taken as it is
	if err != nil {
		return fmt.Errorf("manage the fields of a %T: %w", object, err)
	}
	apiVersion := object.GetObjectKind().GroupVersionKind().GroupVersion().String()
	entry := func(by, subresource string, after time.Duration, content map[string]any) metav1.ManagedFieldsEntry {
		fields, err := json.Marshal(fieldsOf(content, 3))
		if err != nil {
			panic(err) // nested maps can always be encoded
		}
		return metav1.ManagedFieldsEntry{
			Manager: by, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: apiVersion, Subresource: subresource,
			Time: pointAt(after), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(fields)),
		}
	}
	status, hasStatus := whole["status"].(map[string]any)
	delete(whole, "status")
	delete(whole, "apiVersion")
	delete(whole, "kind")
	if metadata, ok := whole["metadata"].(map[string]any); ok {
		for _, owned := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generation"} {
			delete(metadata, owned) // these have no manager
		}
	}
	managed := []metav1.ManagedFieldsEntry{entry(manager, "", 0, whole)}
	if hasStatus && len(status) > 0 {
		managed = append(managed, entry(statusManager, "status", time.Minute, map[string]any{"status": status}))
	}
	accessor.SetManagedFields(managed)
	return nil
}

// fieldsOf names the fields that are set in content, in the form of FieldsV1. Below the
// maximum depth, values are owned as a whole.
func fieldsOf(content map[string]any, levels int) map[string]any {
	fields := map[string]any{}
	for key, value := range content {
		if value != nil {
			fields["f:"+key] = fieldsBelow(value, levels-1)
		}
	}
	return fields
}

func fieldsBelow(value any, levels int) map[string]any {
	if levels <= 0 {
		return map[string]any{}
	}
	switch value := value.(type) {
	case map[string]any:
		return fieldsOf(value, levels)
	case []any:
		fields := map[string]any{}
		for _, item := range value {
			if item, ok := item.(map[string]any); ok {
				if key := keyOf(item); key != "" {
					below := fieldsOf(item, levels-1)
					below["."] = map[string]any{}
					fields["k:"+key] = below
				}
			}
		}
		if len(fields) > 0 {
			fields["."] = map[string]any{}
		}
		return fields
	default:
		return map[string]any{}
	}
}

// keyOf returns the identifying key of a list item, as JSON; "" for lists that are owned as
// a whole.
func keyOf(item map[string]any) string {
	for _, name := range []string{"uid", "type", "name", "containerPort", "port"} {
		if value, ok := item[name]; ok {
			var key bytes.Buffer
			encoder := json.NewEncoder(&key)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(map[string]any{name: value}); err != nil {
				panic(err) // a string or a number can always be encoded
			}
			return string(bytes.TrimSpace(key.Bytes()))
		}
	}
	return ""
}
