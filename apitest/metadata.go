package apitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/apitest/internal/definition"
	"github.com/thinformer/thinformer/internal/kinds"
)

// normalize converts an object to the form in which the real server holds it:
// without the fields that its kind does not have, which it returns; with the
// defaults of its schema; without nulls, unless the schema allows them, and
// without empty metadata fields; with times in seconds and in UTC. It fails on
// invalid metadata. It is applied to objects from clients and to the results of
// patches.
func (c *call) normalize(content map[string]any) (unknown []error, err error) {
	return c.normalizeRead(content, nil, false)
}

// normalizeRead is normalize for an object read from a JSON text, nil for any
// other. doubtful reports whether the text has duplicate fields: for built-in
// kinds, these are then returned as well, in the order of the text.
func (c *call) normalizeRead(content map[string]any, text []byte, doubtful bool) (found []error, err error) {
	switch {
	case c.resource.Custom:
		return c.normalizeCustom(content)
	case c.resource.Builtin == nil:
		dropNulls(content)
	default:
		if found, err = trim(c.resource.Fields(), content, text, doubtful); err != nil {
			return nil, err
		}
	}
	if c.GroupResource() == definition.GroupResource {
		definition.SetDefaults(content)
	}
	more, err := c.normalizeMetadata(content)
	return append(found, more...), err
}

// trim reduces an object to the fields of the Go type of its built-in kind, and
// fails if that type cannot hold it.
func trim(fields *kinds.Type, content map[string]any, text []byte, doubtful bool) (found []error, err error) {
	unknown, fits := fields.Trim(content)
	switch {
	case text != nil && (!fits || len(unknown) > 0 || doubtful):
		return fields.Inspect(text)
	case !fits:
		err = fields.Unlike(content)
	}
	return unknownFields(unknown), err
}

func unknownFields(paths []string) (found []error) {
	for _, path := range paths {
		found = append(found, fmt.Errorf("unknown field %q", path))
	}
	return found
}

// normalizeCustom is normalize for custom resources.
func (c *call) normalizeCustom(content map[string]any) (unknown []error, err error) {
	fields := c.resource.Shape
	if fields != nil {
		unknown = unknownFields(fields.Prune(content))
	}
	more, err := c.normalizeMetadata(content)
	if err == nil && fields != nil {
		fields.Default(content, c.Tick)
		c.AbortIfDone()
		fields.DropNulls(content)
	}
	return append(unknown, more...), err
}

// normalizeMetadata is normalize for the metadata alone.
func (c *call) normalizeMetadata(content map[string]any) (unknown []error, err error) {
	given, ok := content["metadata"].(map[string]any)
	if !ok {
		if content["metadata"] != nil {
			return nil, c.metadataError(content["metadata"])
		}
		given = map[string]any{}
		content["metadata"] = given
	}
	for name := range given {
		if _, known := metadataFields[name]; !known {
			unknown = append(unknown, fmt.Errorf("unknown field %q", "metadata."+name))
			delete(given, name)
		}
	}
	slices.SortFunc(unknown, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	for name, value := range given {
		keep, regular := metadataFields[name](value)
		if !regular {
			content["metadata"], err = c.typedMetadata(given)
			return unknown, err
		}
		if keep == nil {
			delete(given, name)
		} else {
			given[name] = keep
		}
	}
	c.dropDuplicateOwners(given)
	return unknown, nil
}

// dropNulls removes members that are null, which are absent in a Go type.
func dropNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
				continue
			}
			dropNulls(member)
		}
	case []any:
		for _, item := range value {
			dropNulls(item)
		}
	}
}

// metadataFields are the known fields. Each function returns the value to keep,
// nil for none, and false for a value that it does not recognize.
var metadataFields = map[string]func(any) (any, bool){
	"name": textField, "generateName": textField, "namespace": textField,
	"selfLink": func(value any) (any, bool) { _, ok := textField(value); return nil, ok },
	"uid":      textField, "resourceVersion": textField,
	"generation": func(value any) (any, bool) {
		if value == int64(0) {
			return nil, true
		}
		return numberField(value)
	},
	"deletionGracePeriodSeconds": numberField,
	"creationTimestamp":          timeField, "deletionTimestamp": timeField,
	"labels": textsField, "annotations": textsField,
	"finalizers": func(value any) (any, bool) {
		return listField(value, func(item any) bool { _, ok := item.(string); return ok })
	},
	"ownerReferences": func(value any) (any, bool) { return listField(value, isOwnerReference) },
	"managedFields": func(value any) (any, bool) {
		if list, ok := value.([]any); ok && len(list) == 0 {
			return value, true // it removes all managers
		}
		return listField(value, func(item any) bool { _, ok := item.(map[string]any); return ok })
	},
}

func textField(value any) (any, bool) {
	text, ok := value.(string)
	if text == "" {
		return nil, ok || value == nil
	}
	return text, true
}

func numberField(value any) (any, bool) {
	_, ok := value.(int64)
	return value, ok || value == nil
}

func timeField(value any) (any, bool) {
	text, ok := value.(string)
	if !ok {
		return nil, value == nil
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC().Format(time.RFC3339), err == nil
}

func textsField(value any) (any, bool) {
	texts, ok := value.(map[string]any)
	if len(texts) == 0 {
		return nil, ok || value == nil
	}
	for _, text := range texts {
		if _, ok := text.(string); !ok {
			return nil, false
		}
	}
	return texts, true
}

func listField(value any, fits func(any) bool) (any, bool) {
	list, ok := value.([]any)
	if len(list) == 0 {
		return nil, ok || value == nil
	}
	for _, item := range list {
		if !fits(item) {
			return nil, false
		}
	}
	return list, true
}

func isOwnerReference(item any) bool {
	reference, ok := item.(map[string]any)
	required := 0
	for name, value := range reference {
		switch name {
		case "apiVersion", "kind", "name", "uid":
			_, text := value.(string)
			ok = ok && text
			required++
		case "controller", "blockOwnerDeletion":
			_, boolean := value.(bool)
			ok = ok && boolean
		default:
			return false
		}
	}
	return ok && required == 4
}

// typedMetadata normalizes metadata through the Go type. It is slow, and the
// reference for the fast path.
func (c *call) typedMetadata(given map[string]any) (map[string]any, error) {
	var typed metav1.ObjectMeta
	if err := c.decodeMetadata(given, &typed); err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&typed)
	if err != nil {
		return nil, err
	}
	dropNulls(content)
	delete(content, "selfLink")
	c.dropDuplicateOwners(content)
	return content, nil
}

// metadataError returns why a value is not valid metadata.
func (c *call) metadataError(value any) error {
	var typed metav1.ObjectMeta
	return c.decodeMetadata(value, &typed)
}

// decodeMetadata decodes with the error messages of the real server, which
// decodes the metadata of custom resources by themselves and those of other
// kinds within the whole object. That changes the path in the message.
func (c *call) decodeMetadata(value any, typed *metav1.ObjectMeta) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if c.resource.Custom {
		return utiljson.Unmarshal(text, typed)
	}
	var whole struct {
		Metadata *metav1.ObjectMeta `json:"metadata"`
	}
	whole.Metadata = typed
	err = utiljson.Unmarshal(slices.Concat([]byte(`{"metadata":`), text, []byte(`}`)), &whole)
	if err != nil {
		return fmt.Errorf("%s", strings.Replace(err.Error(), "Go struct field .metadata", "Go struct field "+c.resource.Kind+".metadata", 1))
	}
	return nil
}

// dropDuplicateOwners keeps the first of equal owner references.
func (c *call) dropDuplicateOwners(metadata map[string]any) {
	owners, _ := metadata["ownerReferences"].([]any)
	// A map keeps this linear in the number of owner references.
	type reference struct{ apiVersion, kind, name, uid, controller, blocks any }
	var kept []any
	var twice []string
	seen := map[reference]bool{}
	for _, owner := range owners {
		fields, _ := owner.(map[string]any)
		key := reference{fields["apiVersion"], fields["kind"], fields["name"], fields["uid"], fields["controller"], fields["blockOwnerDeletion"]}
		if seen[key] {
			uid, _ := fields["uid"].(string)
			twice = append(twice, uid)
			continue
		}
		seen[key] = true
		kept = append(kept, owner)
	}
	if len(twice) > 0 {
		metadata["ownerReferences"] = kept
		c.warn(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(twice, ", "))
	}
}
