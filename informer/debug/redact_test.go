package debug

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// secretText must not be shown, and neither must secretBase64, its base64 encoding.
const secretText, secretBase64 = "hunter2hunter2", "aHVudGVyMmh1bnRlcjI"

type slimSecret struct {
	rest.SlimMeta `json:"metadata"`
	Payload       map[string][]byte `json:"data"`
}

type bareSecret struct {
	rest.SlimMeta
	StringData map[string]string
}

type renamed struct{ rest.SlimMeta }

func (*renamed) MarshalJSON() ([]byte, error) {
	return []byte(`{"metadata":{"name":"a"},"payload":{"password":"` + secretText + `"},"list":["` + secretText + `"]}`), nil
}

func secretMeta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "a", Labels: map[string]string{"seen": "label"}, Annotations: map[string]string{
		lastApplied: `{"data":{"password":"` + secretText + `"}}`,
		"copy":      secretText,
	}}
}

func content(t *testing.T, text string) map[string]any {
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	return m
}

// The data of a Secret are not shown, whatever its Go type is.
func TestSecretsAreNotShown(t *testing.T) {
	data := map[string][]byte{"password": []byte(secretText)}
	everywhere := `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","labels":{"seen":"label"},"annotations":{"copy":"` + secretText + `"}},
		"data":{"password":"` + secretText + `"},"stringData":{"password":"` + secretText + `"},"type":"Opaque","strange":"` + secretText + `"}`
	// An item of a list, without kind and apiVersion.
	everywhereBare := `{"metadata":{"name":"a","annotations":{"copy":"` + secretText + `"}},"data":{"password":"` + secretText + `"},"type":"Opaque"}`
	var unknown schema.GroupVersionResource
	for name, c := range map[string]struct {
		obj      any
		resource schema.GroupVersionResource
	}{
		"nested SecretList, items without kind": {content(t, `{"spec":{"held":{"kind":"SecretList","items":[`+everywhereBare+`,{"payload":"`+secretText+`","data":1}]}}}`), podResource},
		"SecretList":                            {content(t, `{"kind":"SecretList","items":[`+everywhereBare+`,{"payload":"`+secretText+`"}]}`), podResource},
		"nested list without kind":              {content(t, `{"spec":{"held":{"metadata":{},"items":[`+everywhereBare+`]}}}`), podResource},
		"nested object without kind":            {content(t, `{"spec":{"template":`+everywhereBare+`,"list":[[`+everywhereBare+`]]}}`), podResource},
		"nested object without metadata":        {content(t, `{"spec":{"a":{"stringData":{"password":"`+secretText+`"}},"b":{"type":"Opaque","data":{"password":"`+secretText+`"}}}}`), podResource},
		"typed, resource known":                 {&Secret{ObjectMeta: secretMeta(), Data: data}, secretResource},
		"typed, resource unknown":               {&Secret{ObjectMeta: secretMeta(), Data: data}, unknown},
		"slim, resource known":                  {&slimSecret{rest.SlimMeta{Name: "a"}, data}, secretResource},
		"slim, resource unknown":                {&slimSecret{rest.SlimMeta{Name: "a"}, data}, unknown},
		"no JSON tags, resource unknown":        {&bareSecret{StringData: map[string]string{"password": secretText}}, unknown},
		"no JSON tags, resource known":          {&bareSecret{StringData: map[string]string{"password": secretText}}, secretResource},
		"other field names":                     {&renamed{}, secretResource},
		"unstructured":                          {&unstructured.Unstructured{Object: content(t, everywhere)}, unknown},
		"unstructured, other resource":          {&unstructured.Unstructured{Object: content(t, everywhere)}, podResource},
		"metadata only, resource known":         {&metav1.PartialObjectMetadata{ObjectMeta: secretMeta()}, secretResource},
		"metadata only, resource unknown":       {&metav1.PartialObjectMetadata{ObjectMeta: secretMeta()}, unknown},
		"PartialObjectMetadata kind":            {&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadata"}, ObjectMeta: secretMeta()}, unknown},
		"nested Secret":                         {content(t, `{"kind":"Template","spec":{"objects":[`+everywhere[:len(everywhere)-len(`,"strange":"`+secretText+`"}`)]+`}]}}`), podResource},
		"last-applied annotation":               {&Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{lastApplied: secretText}}}, podResource},
		"nested last-applied annotation":        {content(t, `{"kind":"Deployment","spec":{"template":{"metadata":{"annotations":{"`+lastApplied+`":"`+secretText+`"}}}}}`), podResource},
		"annotations without metadata":          {content(t, `{"annotations":{"copy":"`+secretText+`"}}`), unknown},
		"data is a list":                        {content(t, `{"data":["`+secretText+`"]}`), secretResource},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := render(c.obj, c.resource, nil)
			require.NoError(t, err)
			require.True(t, json.Valid(text))
			require.NotContains(t, string(text), secretText)
			require.NotContains(t, string(text), secretBase64)
			require.Contains(t, string(text), redacted, "nothing was redacted")
		})
	}
}

// Objects that are not Secrets are shown.
func TestOtherObjectsAreShown(t *testing.T) {
	for name, c := range map[string]struct {
		obj      any
		resource schema.GroupVersionResource
	}{
		"ConfigMap data, resource known": {content(t, `{"data":{"a":"plain"}}`), schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}},
		"ConfigMap data, kind known":     {content(t, `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"plain"}}`), schema.GroupVersionResource{}},
		"secrets of another group":       {content(t, `{"kind":"Other","data":{"a":"plain"}}`), schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "secrets"}},
		"reference to a Secret":          {content(t, `{"kind":"Pod","spec":{"ref":{"kind":"Secret","name":"plain"}}}`), podResource},
		"labels of a Secret":             {&Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "plain"}}}, secretResource},
		"keys of the data of a Secret":   {&Secret{Data: map[string][]byte{"plain": nil}}, secretResource},
		"other annotations":              {&Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"a": "plain", lastApplied: "x"}}}, podResource},
		"spec of an unknown kind":        {&Pod{Spec: map[string]any{"a": "plain"}}, schema.GroupVersionResource{}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := render(c.obj, c.resource, nil)
			require.NoError(t, err)
			require.Contains(t, string(text), "plain")
		})
	}
}

// render does not modify the object, and Redact gets a copy.
func TestRedactionDoesNotModifyStoredObject(t *testing.T) {
	obj := &unstructured.Unstructured{Object: content(t, `{"kind":"Secret","metadata":{"name":"a"},"data":{"password":"x"}}`)}
	want := obj.DeepCopy()
	text, err := render(obj, secretResource, func(_ schema.GroupVersionResource, object map[string]any) {
		object["metadata"].(map[string]any)["name"] = "other"
	})
	require.NoError(t, err)
	require.Contains(t, string(text), "other")
	require.Equal(t, want, obj)
}

type badMarshaler struct {
	rest.SlimMeta
	F float64
	f func() ([]byte, error)
}

func (u *badMarshaler) MarshalJSON() ([]byte, error) { return u.f() }

// The error for an object that cannot be shown contains no value of it.
func TestErrorsContainNoValues(t *testing.T) {
	var nothing *Pod
	for name, c := range map[string]struct {
		obj    any
		redact func(schema.GroupVersionResource, map[string]any)
		want   error
	}{
		"nil":                              {nil, nil, errNotObject},
		"typed nil":                        {nothing, nil, errNotObject},
		"function":                         {func() {}, nil, errNotEncodable},
		"NaN":                              {map[string]any{"a": math.NaN()}, nil, errNotEncodable},
		"string":                           {secretText, nil, errNotObject},
		"list":                             {[]string{secretText}, nil, errNotObject},
		"MarshalJSON fails":                {&badMarshaler{f: func() ([]byte, error) { return nil, json.Unmarshal([]byte(secretText), new(int)) }}, nil, errNotEncodable},
		"MarshalJSON panics":               {&badMarshaler{f: func() ([]byte, error) { panic(secretText) }}, nil, errNotEncodable},
		"MarshalJSON returns invalid JSON": {&badMarshaler{f: func() ([]byte, error) { return []byte(secretText), nil }}, nil, errNotEncodable},
		"Redact panics":                    {&Pod{}, func(schema.GroupVersionResource, map[string]any) { panic(secretText) }, errRedact},
		"Redact adds a function":           {&Pod{}, func(_ schema.GroupVersionResource, m map[string]any) { m["a"] = func() {} }, errNotEncodable},
		"Redact adds a value that panics": {&Pod{}, func(_ schema.GroupVersionResource, m map[string]any) {
			m["a"] = &badMarshaler{f: func() ([]byte, error) { panic(secretText) }}
		}, errNotEncodable},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := render(c.obj, podResource, c.redact)
			require.ErrorIs(t, err, c.want)
			require.NotContains(t, err.Error(), secretText)
			require.Empty(t, text)
		})
	}
}

// An object of the resource secrets is shown with its names and harmless fields only.
func FuzzSecretRedaction(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a","annotations":{"b":"c"}},"data":{"d":"e"},"kind":"Secret"}`))
	f.Add([]byte(`{"DATA":[1,{"a":[]}],"stringdata":null,"metadata":[{"annotations":"x"}]}`))
	f.Add([]byte(`{"metadata":{"Annotations":{"a":{"b":"c"}},"data":"x"},"":{"":""}}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		var in map[string]any
		if json.Unmarshal(object, &in) != nil || in == nil {
			return
		}
		text, err := render(in, secretResource, nil)
		require.NoError(t, err)
		var out map[string]any
		require.NoError(t, json.NewDecoder(bytes.NewReader(text)).Decode(&out))
		require.Len(t, out, len(in))
		for name, value := range out {
			if !slices.Contains(shownOfSecret, name) {
				requireOnlyNames(t, value)
			}
		}
		metadata, _ := out["metadata"].(map[string]any)
		if annotations, ok := metadata["annotations"]; ok {
			requireOnlyNames(t, annotations)
		}
	})
}

func requireOnlyNames(t *testing.T, value any) {
	fields, ok := value.(map[string]any)
	if !ok {
		require.Equal(t, redacted, value)
	}
	for _, value := range fields {
		require.Equal(t, redacted, value)
	}
}
