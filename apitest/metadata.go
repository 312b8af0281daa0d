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

	"github.com/thinformer/thinformer/internal/kinds"
)

// tidy brings an object to the form in which the real server holds it: without
// the fields that its kind does not have, which are returned; with the defaults
// of its schema; without nulls, unless the schema wants them, and with nothing
// empty in the metadata; with times in seconds and in UTC. It fails on metadata
// that are no metadata. What a client sends goes through it, and the results of
// patches.
func (c *call) tidy(content map[string]any) (unknown []error, err error) {
	return c.tidyRead(content, nil, false)
}

// tidyRead is tidy for what was read from a JSON text, nil for what was not.
// doubtful is whether something comes twice in it: of built-in kinds, that is
// then returned as well, in the order of the text.
func (c *call) tidyRead(content map[string]any, text []byte, doubtful bool) (found []error, err error) {
	switch {
	case c.resource.custom:
		return c.tidyCustom(content)
	case c.resource.builtin == nil:
		dropNulls(content)
	default:
		if found, err = trim(c.resource.fields(), content, text, doubtful); err != nil {
			return nil, err
		}
	}
	if c.GroupResource() == definitionsResource {
		defaultDefinition(content)
	}
	more, err := c.tidyMetadata(content)
	return append(found, more...), err
}

// trim makes of an object what the Go type of its built-in kind would hold, and
// fails if that could not hold it.
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

// tidyCustom is tidy for custom resources.
func (c *call) tidyCustom(content map[string]any) (unknown []error, err error) {
	fields := c.resource.shape
	if fields != nil {
		unknown = unknownFields(fields.Prune(content))
	}
	more, err := c.tidyMetadata(content)
	if err == nil && fields != nil {
		fields.Default(content)
		fields.DropNulls(content)
	}
	return append(unknown, more...), err
}

// tidyMetadata is tidy for the metadata alone.
func (c *call) tidyMetadata(content map[string]any) (unknown []error, err error) {
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

// dropNulls removes the members that are null: to a Go type they are absent.
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

// metadataFields are those that there are. Each function returns the value to
// keep, nil for none, and false for one that it does not understand.
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
			return value, true // it means that nobody manages anything any more
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

// typedMetadata is metadata by the way through the Go type, which is slow, and
// the measure.
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

// metadataError is why a value is no metadata.
func (c *call) metadataError(value any) error {
	var typed metav1.ObjectMeta
	return c.decodeMetadata(value, &typed)
}

// decodeMetadata fails with the real server's words. It decodes the metadata of
// custom resources by themselves and those of others within the whole object,
// which changes the path in the message.
func (c *call) decodeMetadata(value any, typed *metav1.ObjectMeta) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if c.resource.custom {
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
	// There may be many: each is looked up, and not compared with all before it.
	type reference struct{ apiVersion, kind, name, uid, controller, blocks any }
	var kept []any
	var twice []string
	seen := map[reference]bool{}
	for _, owner := range owners {
		of, _ := owner.(map[string]any)
		key := reference{of["apiVersion"], of["kind"], of["name"], of["uid"], of["controller"], of["blockOwnerDeletion"]}
		if seen[key] {
			uid, _ := of["uid"].(string)
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

// into decodes content as a Go type.
func into(content map[string]any, typed any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return utiljson.Unmarshal(text, typed)
}

// metadataOf is the metadata of an object, which is made if there is none.
func metadataOf(object map[string]any) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	return metadata
}
