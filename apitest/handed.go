package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/rest"
)

// handed is an object that Go code hands in, and where it belongs.
type handed struct {
	resource *resource
	key
	fields   []member // but apiVersion, kind and metadata
	metadata []member // but the version
	version  string   // that it says it has
}

// String is how messages call it.
func (h *handed) String() string {
	name := h.name
	if h.namespace != "" {
		name = h.namespace + "/" + name
	}
	return h.resource.Kind + " " + name
}

// handIn reads an object.
func (s *Server) handIn(obj rest.Object) (*handed, error) {
	if v := reflect.ValueOf(obj); v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, fmt.Errorf("%T: an object is a pointer, and not nil", obj)
	}
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	fields, err := membersOf(text)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	h := new(handed)
	if h.resource, err = s.resourceOf(obj, memberText(fields, "apiVersion"), memberText(fields, "kind")); err != nil {
		return nil, err
	}
	if metadata := valueOf(fields, "metadata"); metadata != nil {
		if h.metadata, err = membersOf(metadata); err != nil {
			return nil, fmt.Errorf("encode the metadata of a %T: %w", obj, err)
		}
	}
	if memberText(h.metadata, "name") != obj.GetName() {
		return nil, fmt.Errorf("the name %q is not in the metadata of the JSON of a %T: has its ObjectMeta the tag `json:\"metadata\"`?", obj.GetName(), obj)
	}
	h.key = key{obj.GetNamespace(), obj.GetName()}
	if h.resource.Namespaced && h.namespace == "" {
		h.namespace = "default"
	}
	if !h.resource.Namespaced && h.namespace != "" {
		return nil, fmt.Errorf("%s: %s are in no namespace", h, h.resource.GroupVersionResource.Resource)
	}
	h.version = memberText(h.metadata, "resourceVersion")
	h.fields = slices.DeleteFunc(fields, func(m member) bool {
		return slices.Contains([]string{"apiVersion", "kind", "metadata"}, string(m.name))
	})
	h.metadata = slices.DeleteFunc(h.metadata, func(m member) bool {
		return string(m.name) == "resourceVersion" || isBlank(m.value)
	})
	return h, nil
}

// memberText a member that is a text, "" for another.
func memberText(all []member, name string) (text string) {
	value := valueOf(all, name)
	if len(value) > 1 && value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	if value == nil || json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

// set puts a text into the metadata.
func (h *handed) set(name, text string) {
	var w encoder
	w.string(text)
	h.setValue(name, w.text)
}

func (h *handed) setValue(name string, value []byte) {
	at, found := slices.BinarySearchFunc(h.metadata, name, func(m member, name string) int {
		return strings.Compare(string(m.name), name)
	})
	if found {
		h.metadata[at].value = value
		return
	}
	h.metadata = slices.Insert(h.metadata, at, member{[]byte(name), value})
}

// draft is the object as it is stored: the same text as encode makes of it.
func (h *handed) draft() (d draft, err error) {
	size := 100
	for _, m := range slices.Concat(h.metadata, h.fields) {
		size += len(m.name) + len(m.value) + 4
	}
	text := make([]byte, 0, size)
	text = append(text, `{"apiVersion":`...)
	text = strconv.AppendQuote(text, h.resource.storage.String())
	text = append(text, `,"kind":`...)
	text = strconv.AppendQuote(text, h.resource.Kind)
	text = append(text, `,"metadata":{"resourceVersion":"`...)
	split := len(text)
	text = append(text, '"')
	nulls := h.resource.custom
	for _, m := range h.metadata {
		text = append(text, ',')
		if text, err = appendMember(text, m, nulls); err != nil {
			return d, fmt.Errorf("%s: %w", h, err)
		}
	}
	text = append(text, '}')
	for _, m := range h.fields {
		if !nulls && isNull(m.value) {
			continue
		}
		text = append(text, ',')
		if text, err = appendMember(text, m, nulls); err != nil {
			return d, fmt.Errorf("%s: %w", h, err)
		}
	}
	text = append(text, '}')
	return draft{before: text[:split:split], after: text[split:]}, nil
}

// object is the same as a tree, for the rules that want one.
func (h *handed) object() (*unstructured.Unstructured, error) {
	text, err := h.draft()
	if err != nil {
		return nil, err
	}
	obj, err := decode(slices.Concat(text.before, text.after))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h, err)
	}
	return obj, nil
}

// resourceOf an object: by its apiVersion and kind, where it says them, or by
// the name of its Go type where it is the kind of one resource only.
func (s *Server) resourceOf(obj rest.Object, apiVersion, kind string) (*resource, error) {
	named := kind
	if named == "" {
		named = reflect.TypeOf(obj).Elem().Name()
	}
	var found []*resource
	for _, res := range s.registry.all() {
		if res.Kind == named && (apiVersion == "" || res.GroupVersion().String() == apiVersion) {
			found = append(found, res)
		}
	}
	slices.SortFunc(found, func(a, b *resource) int {
		return strings.Compare(a.GroupVersion().String(), b.GroupVersion().String())
	})
	switch {
	case named == "":
		return nil, fmt.Errorf("a %T has no kind, and its type no name to take for one: set apiVersion and kind", obj)
	case len(found) == 0:
		return nil, fmt.Errorf("no resource is served of the kind %s (a %T): Register it, create its definition, or set apiVersion and kind", strings.TrimSpace(apiVersion+" "+named), obj)
	case len(found) == 1:
		return found[0], nil
	}
	for _, res := range found {
		if res.table != found[0].table {
			return nil, fmt.Errorf("the kind %s is served in %s and %s: set the apiVersion of the %T", named, found[0].GroupVersion(), res.GroupVersion(), obj)
		}
	}
	for _, res := range found {
		if res.GroupVersion() == res.storage {
			return res, nil
		}
	}
	return found[0], nil
}

// handOut decodes what is stored as a T, in the version that was asked for.
func handOut[T rest.Object](res *resource, rec *record) (obj T, err error) {
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Pointer {
		return obj, fmt.Errorf("%s is no pointer", of)
	}
	raw := rec.raw
	if res.storage != res.GroupVersion() {
		old, current := strconv.Quote(res.storage.String()), strconv.Quote(res.GroupVersion().String())
		raw = bytes.Replace(raw, []byte(old), []byte(current), 1)
	}
	obj = reflect.New(of.Elem()).Interface().(T)
	if err := utiljson.Unmarshal(raw, obj); err != nil {
		return obj, fmt.Errorf("decode the %s %s as a %T: %w", res.Kind, rec.name, obj, err)
	}
	return obj, nil
}
