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

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/rest"
)

// inputObject is an object that a Go function such as [Create] received, with
// its resource and key.
type inputObject struct {
	resource *registry.Resource
	storage.Key
	fields   []objects.Member // without apiVersion, kind and metadata
	metadata []objects.Member // without resourceVersion
	version  string           // its resourceVersion
}

// String returns the name of the object for messages.
func (o *inputObject) String() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return o.resource.Kind + " " + name
}

// readInput converts an object from Go.
func (s *Server) readInput(obj rest.Object) (*inputObject, error) {
	if v := reflect.ValueOf(obj); v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, fmt.Errorf("%T: the object must be a non-nil pointer", obj)
	}
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	fields, err := objects.MembersOf(text)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	h := new(inputObject)
	if h.resource, err = s.resourceOf(obj, objects.MemberString(fields, "apiVersion"), objects.MemberString(fields, "kind")); err != nil {
		return nil, err
	}
	if metadata := objects.MemberValue(fields, "metadata"); metadata != nil {
		if h.metadata, err = objects.MembersOf(metadata); err != nil {
			return nil, fmt.Errorf("encode the metadata of a %T: %w", obj, err)
		}
	}
	if objects.MemberString(h.metadata, "name") != obj.GetName() {
		return nil, fmt.Errorf("the JSON of the %T does not contain the name %q in its metadata: tag its ObjectMeta with `json:\"metadata\"`", obj, obj.GetName())
	}
	h.Key = storage.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if h.resource.Namespaced && h.Namespace == "" {
		h.Namespace = "default"
	}
	if !h.resource.Namespaced && h.Namespace != "" {
		return nil, fmt.Errorf("%s: %s are not namespaced; remove the namespace", h, h.resource.GroupVersionResource.Resource)
	}
	h.version = objects.MemberString(h.metadata, "resourceVersion")
	h.fields = slices.DeleteFunc(fields, func(m objects.Member) bool {
		return slices.Contains([]string{"apiVersion", "kind", "metadata"}, string(m.Name))
	})
	h.metadata = slices.DeleteFunc(h.metadata, func(m objects.Member) bool {
		return string(m.Name) == "resourceVersion" || objects.IsBlank(m.Value)
	})
	return h, nil
}

// set sets a field of the metadata to a string.
func (o *inputObject) set(name, text string) {
	o.setValue(name, objects.Quote(text))
}

func (o *inputObject) setValue(name string, value []byte) {
	o.metadata = objects.SetMember(o.metadata, name, value)
}

// draft returns the object as it is stored.
func (o *inputObject) draft() (objects.Draft, error) {
	d, err := objects.DraftOf(o.resource.Storage.String(), o.resource.Kind, o.metadata, o.fields, o.resource.Custom)
	if err != nil {
		return d, fmt.Errorf("%s: %w", o, err)
	}
	return d, nil
}

// object returns the object as a tree.
func (o *inputObject) object() (*unstructured.Unstructured, error) {
	text, err := o.draft()
	if err != nil {
		return nil, err
	}
	obj, err := objects.Decode(slices.Concat(text.Before, text.After))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o, err)
	}
	return obj, nil
}

// resourceOf returns the resource of an object: by its apiVersion and kind if
// they are set, else by the name of its Go type, if only one resource has it as
// its kind.
func (s *Server) resourceOf(obj rest.Object, apiVersion, kind string) (*registry.Resource, error) {
	named := kind
	if named == "" {
		named = reflect.TypeOf(obj).Elem().Name()
	}
	var found []*registry.Resource
	for _, res := range s.registry.All() {
		if res.Kind == named && (apiVersion == "" || res.GroupVersion().String() == apiVersion) {
			found = append(found, res)
		}
	}
	slices.SortFunc(found, func(a, b *registry.Resource) int {
		return strings.Compare(a.GroupVersion().String(), b.GroupVersion().String())
	})
	switch {
	case named == "":
		return nil, fmt.Errorf("the %T has no kind, and its type has no name to use instead: set apiVersion and kind", obj)
	case len(found) == 0:
		return nil, fmt.Errorf("no resource of kind %s is served (for a %T): call Register, create its CustomResourceDefinition, or set apiVersion and kind", strings.TrimSpace(apiVersion+" "+named), obj)
	case len(found) == 1:
		return found[0], nil
	}
	for _, res := range found {
		if res.Table != found[0].Table {
			return nil, fmt.Errorf("the kind %s is served in %s and %s: set the apiVersion of the %T", named, found[0].GroupVersion(), res.GroupVersion(), obj)
		}
	}
	for _, res := range found {
		if res.GroupVersion() == res.Storage {
			return res, nil
		}
	}
	return found[0], nil
}

// decodeRecord decodes a stored object as a T, in the version of res.
func decodeRecord[T rest.Object](res *registry.Resource, rec *storage.Record) (obj T, err error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Pointer {
		return obj, fmt.Errorf("%s is not a pointer", t)
	}
	raw := rec.Raw
	if res.Storage != res.GroupVersion() {
		old, current := strconv.Quote(res.Storage.String()), strconv.Quote(res.GroupVersion().String())
		raw = bytes.Replace(raw, []byte(old), []byte(current), 1)
	}
	obj = reflect.New(t.Elem()).Interface().(T)
	if err := utiljson.Unmarshal(raw, obj); err != nil {
		return obj, fmt.Errorf("decode the %s %s as a %T: %w", res.Kind, rec.Name, obj, err)
	}
	return obj, nil
}
