package rest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/wire"
)

// newCodec returns the codec for the values of a view. onDecoded, unless nil, is
// called with each decoded object and with the fields that the type lacks.
func newCodec(t reflect.Type, info ResourceInfo, o DecodeOptions, metadataOnly bool, onDecoded func(object any, d wire.Dropped)) (*wire.Codec, error) {
	if err := checkMetadata(t); err != nil {
		return nil, err
	}
	return wire.NewCodec(t, info.GroupVersionKind(), wire.Options{
		KeepManagedFields: o.KeepManagedFields, ShareStrings: wire.StringSharing(o.ShareStrings),
		MaxObjectBytes: o.MaxObjectBytes, MaxDepth: o.MaxDepth, MaxObjectMemory: o.MaxObjectMemory,
		MetadataOnly: metadataOnly, Closed: ErrClosed,
	}, onDecoded)
}

// decodeObject decodes a response that is one object.
func decodeObject(c *wire.Codec, contentType string, body []byte) (any, error) {
	object, err := c.DecodeObject(contentType, body)
	if item, ok := err.(*wire.ItemError); ok {
		return nil, fmt.Errorf("decode the response into %v: %w", c.Type(), (*ItemError)(item))
	}
	return object, err
}

// convertItemError returns an error of a reader. A [wire.ItemError] becomes an
// [ItemError].
func convertItemError(err error) error {
	if item, ok := err.(*wire.ItemError); ok {
		return (*ItemError)(item)
	}
	return err
}

// checkMetadata detects errors in the json tags of a type: metadata that is
// embedded without its name would be decoded from the fields beside the spec.
func checkMetadata(t reflect.Type) error {
	if t.Kind() != reflect.Struct {
		return &typeError{t}
	}
	if err := findMetadata(t, t, map[reflect.Type]bool{}); err != nil {
		return err
	}
	return checkTags(t)
}

// checkTags detects a type without a field that could be decoded. Field names are
// case-sensitive, and a field without a tag has its Go name.
func checkTags(t reflect.Type) error {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	untagged := ""
	for i := range t.NumField() {
		switch field := t.Field(i); {
		case field.Anonymous || !field.IsExported():
		case field.Tag.Get("json") != "":
			return nil
		case untagged == "":
			untagged = field.Name
		}
	}
	if untagged == "" {
		return nil
	}
	lower := strings.ToLower(untagged[:1]) + untagged[1:]
	return fmt.Errorf("%v cannot be decoded into: none of its fields has a json tag: add the tag `json:%q` to %s, and the tag `json:\"-\"` to fields that are not part of the object", t, lower, untagged)
}

func findMetadata(root, t reflect.Type, seen map[reflect.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		field := t.Field(i)
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if !field.Anonymous || inner.Kind() != reflect.Struct {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		isMeta := inner == reflect.TypeFor[SlimMeta]() || inner == reflect.TypeFor[metav1.ObjectMeta]()
		switch {
		case isMeta && name != "metadata":
			return fmt.Errorf("%v cannot be decoded into: it embeds %v, which must have the tag `json:\"metadata\"`", root, inner)
		case name == "":
			if err := findMetadata(root, inner, seen); err != nil {
				return err
			}
		}
	}
	return nil
}
