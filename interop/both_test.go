package interop_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	"github.com/thinformer/thinformer/internal/intern"
	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/interop/objects"
	"github.com/thinformer/thinformer/rest"
)

// slim is a type such as users with large clusters declare.
type slim struct {
	slimMeta `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
		Replicas *int32 `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

type slimMeta struct {
	rest.SlimMeta   `json:",inline"`
	Labels          map[string]string       `json:"labels"`
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
}

// plain is a custom resource without DeepCopyObject or scheme.
type plain struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              map[string]any `json:"spec"`
	Data              map[string]any `json:"data,omitempty"`
	Status            any            `json:"status,omitempty"`
}

// intoTypes returns the types that an object of a kind is decoded into: its own type, if
// it has one, and types that fit any object.
func intoTypes(kind schema.GroupVersionKind) map[string]reflect.Type {
	into := map[string]reflect.Type{
		"unstructured": reflect.TypeFor[unstructured.Unstructured](),
		"metadata":     reflect.TypeFor[metav1.PartialObjectMetadata](),
		"slim":         reflect.TypeFor[slim](),
		"plain":        reflect.TypeFor[plain](),
	}
	if typed, err := scheme.Scheme.New(kind); err == nil {
		into["typed"] = reflect.TypeOf(typed).Elem()
	}
	return into
}

var originals = json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{})

// theirs decodes with apimachinery: with its JSON serializer if that knows the type,
// otherwise with the underlying decoder.
func theirs(data []byte, into reflect.Type) (any, error) {
	value := reflect.New(into).Interface()
	switch value := value.(type) {
	case *unstructured.Unstructured:
		_, _, err := unstructured.UnstructuredJSONScheme.Decode(data, nil, value)
		if runtime.IsMissingKind(err) { // items of lists may lack the kind
			err = kjson.UnmarshalCaseSensitivePreserveInts(data, &value.Object)
		}
		return value, err
	case runtime.Object:
		if _, _, err := scheme.Scheme.ObjectKinds(value); err == nil {
			_, _, err := originals.Decode(data, nil, value)
			if runtime.IsNotRegisteredError(err) { // the kind was mutated
				value := reflect.New(into).Interface()
				return value, kjson.UnmarshalCaseSensitivePreserveInts(data, value)
			}
			return value, err
		}
	}
	return value, kjson.UnmarshalCaseSensitivePreserveInts(data, value)
}

// ours decodes everything, including managed fields, as Get does.
func ours(data []byte, into reflect.Type) (any, error) {
	plan, err := jsonobj.PlanOf(into)
	if err != nil {
		return nil, err
	}
	decoder := jsonobj.Decoder{Strings: intern.New(), KeepManagedFields: true}
	value := reflect.New(into).Interface()
	n, err := decoder.Decode(plan, data, value)
	if err == nil && len(strings.TrimSpace(string(data[n:]))) > 0 {
		err = fmt.Errorf("%d bytes after the object", len(data)-n)
	}
	return value, err
}

// mustAgree fails the test unless both decoders return equal values for a document, or
// both return an error.
func mustAgree(t *testing.T, data []byte, into reflect.Type) {
	t.Helper()
	want, theirErr := theirs(data, into)
	got, ourErr := ours(data, into)
	if theirErr != nil {
		require.Error(t, ourErr, "%v: apimachinery says %v of %s", into, theirErr, excerpt(data))
		return
	}
	require.NoError(t, ourErr, "%v: apimachinery decodes %s", into, excerpt(data))
	mustEqual(t, want, got, data)
}

func mustEqual(t *testing.T, want, got any, data []byte) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return
	}
	require.FailNow(t, "decoded differently", "%T at %s\n%s", got, difference(reflect.ValueOf(want), reflect.ValueOf(got), ""), excerpt(data))
}

// difference returns the first difference of two values.
func difference(want, got reflect.Value, path string) string {
	if !want.IsValid() || !got.IsValid() || want.Type() != got.Type() {
		return fmt.Sprintf("%s: want %#v, got %#v", path, want, got)
	}
	switch want.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !want.IsNil() && !got.IsNil() {
			return difference(want.Elem(), got.Elem(), path)
		}
	case reflect.Struct:
		for i := range want.NumField() {
			if found := difference(want.Field(i), got.Field(i), path+"."+want.Type().Field(i).Name); found != "" {
				return found
			}
		}
		return ""
	case reflect.Slice:
		if want.Len() == got.Len() && want.IsNil() == got.IsNil() {
			for i := range want.Len() {
				if found := difference(want.Index(i), got.Index(i), fmt.Sprintf("%s[%d]", path, i)); found != "" {
					return found
				}
			}
			return ""
		}
	case reflect.Map:
		if want.Len() == got.Len() && want.IsNil() == got.IsNil() {
			for _, key := range want.MapKeys() {
				if found := difference(want.MapIndex(key), got.MapIndex(key), fmt.Sprintf("%s[%v]", path, key)); found != "" {
					return found
				}
			}
			return ""
		}
	default:
		if want.Comparable() && want.Equal(got) {
			return ""
		}
	}
	if want.Kind() == reflect.Pointer && want.IsNil() && got.IsNil() || want.Kind() == reflect.Interface && want.IsNil() && got.IsNil() {
		return ""
	}
	return fmt.Sprintf("%s: want %#v, got %#v", path, want, got)
}

func excerpt(data []byte) string {
	if len(data) > 4000 {
		return fmt.Sprintf("%.4000q... (%d bytes)", data, len(data))
	}
	return fmt.Sprintf("%q", data)
}

func corpus(t testing.TB) []objects.Entry {
	t.Helper()
	entries, err := objects.All()
	require.NoError(t, err)
	return entries
}

func kindOf(t testing.TB, data []byte) schema.GroupVersionKind {
	t.Helper()
	kind, err := json.DefaultMetaFactory.Interpret(data)
	require.NoError(t, err)
	return *kind
}
