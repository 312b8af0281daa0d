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

// canary is what must not be seen, and encoded how it is not seen in base64.
const canary, encoded = "hunter2hunter2", "aHVudGVyMmh1bnRlcjI"

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
	return []byte(`{"metadata":{"name":"a"},"payload":{"password":"` + canary + `"},"list":["` + canary + `"]}`), nil
}

func secretMeta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "a", Labels: map[string]string{"seen": "label"}, Annotations: map[string]string{
		lastApplied: `{"data":{"password":"` + canary + `"}}`,
		"copy":      canary,
	}}
}

func content(t *testing.T, text string) map[string]any {
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	return m
}

// The data of a Secret are not shown, by whatever Go type it is looked at.
func TestSecretsAreNotShown(t *testing.T) {
	data := map[string][]byte{"password": []byte(canary)}
	everywhere := `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","labels":{"seen":"label"},"annotations":{"copy":"` + canary + `"}},
		"data":{"password":"` + canary + `"},"stringData":{"password":"` + canary + `"},"type":"Opaque","strange":"` + canary + `"}`
	var unknown schema.GroupVersionResource
	for name, c := range map[string]struct {
		obj      any
		resource schema.GroupVersionResource
	}{
		"typed, by the resource":           {&Secret{ObjectMeta: secretMeta(), Data: data}, secretResource},
		"typed, of a source without one":   {&Secret{ObjectMeta: secretMeta(), Data: data}, unknown},
		"slim, by the resource":            {&slimSecret{rest.SlimMeta{Name: "a"}, data}, secretResource},
		"slim, of a source without one":    {&slimSecret{rest.SlimMeta{Name: "a"}, data}, unknown},
		"without JSON tags":                {&bareSecret{StringData: map[string]string{"password": canary}}, unknown},
		"without JSON tags, by resource":   {&bareSecret{StringData: map[string]string{"password": canary}}, secretResource},
		"under other names":                {&renamed{}, secretResource},
		"unstructured":                     {&unstructured.Unstructured{Object: content(t, everywhere)}, unknown},
		"unstructured, of a wrong view":    {&unstructured.Unstructured{Object: content(t, everywhere)}, podResource},
		"metadata only":                    {&metav1.PartialObjectMetadata{ObjectMeta: secretMeta()}, secretResource},
		"metadata only, of nobody":         {&metav1.PartialObjectMetadata{ObjectMeta: secretMeta()}, unknown},
		"metadata only, by its form":       {&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadata"}, ObjectMeta: secretMeta()}, unknown},
		"within another":                   {content(t, `{"kind":"Template","spec":{"objects":[`+everywhere[:len(everywhere)-len(`,"strange":"`+canary+`"}`)]+`}]}}`), podResource},
		"what kubectl has applied":         {&Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{lastApplied: canary}}}, podResource},
		"what kubectl has applied, within": {content(t, `{"kind":"Deployment","spec":{"template":{"metadata":{"annotations":{"`+lastApplied+`":"`+canary+`"}}}}}`), podResource},
		"annotations without metadata":     {content(t, `{"annotations":{"copy":"`+canary+`"}}`), unknown},
		"data that is no map":              {content(t, `{"data":["`+canary+`"]}`), secretResource},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := render(c.obj, c.resource, nil)
			require.NoError(t, err)
			require.True(t, json.Valid(text))
			require.NotContains(t, string(text), canary)
			require.NotContains(t, string(text), encoded)
			require.Contains(t, string(text), redacted, "nothing was taken out: what does this case show?")
		})
	}
}

// What is no secret is shown.
func TestWhatIsNoSecretIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		obj      any
		resource schema.GroupVersionResource
	}{
		"the data of a config map, by the resource": {content(t, `{"data":{"a":"plain"}}`), schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}},
		"the data of a config map, by its kind":     {content(t, `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"plain"}}`), schema.GroupVersionResource{}},
		"another group's secrets":                   {content(t, `{"kind":"Hush","data":{"a":"plain"}}`), schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "secrets"}},
		"a reference to a secret":                   {content(t, `{"kind":"Pod","spec":{"ref":{"kind":"Secret","name":"plain"}}}`), podResource},
		"the labels of a secret":                    {&Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "plain"}}}, secretResource},
		"the names in a secret":                     {&Secret{Data: map[string][]byte{"plain": nil}}, secretResource},
		"other annotations":                         {&Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"a": "plain", lastApplied: "x"}}}, podResource},
		"the spec of what nobody knows":             {&Pod{Spec: map[string]any{"a": "plain"}}, schema.GroupVersionResource{}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := render(c.obj, c.resource, nil)
			require.NoError(t, err)
			require.Contains(t, string(text), "plain")
		})
	}
}

// Showing an object changes nothing of it, and Redact gets a copy, too.
func TestTheStoredObjectStaysAsItIs(t *testing.T) {
	obj := &unstructured.Unstructured{Object: content(t, `{"kind":"Secret","metadata":{"name":"a"},"data":{"password":"x"}}`)}
	want := obj.DeepCopy()
	text, err := render(obj, secretResource, func(_ schema.GroupVersionResource, object map[string]any) {
		object["metadata"].(map[string]any)["name"] = "other"
	})
	require.NoError(t, err)
	require.Contains(t, string(text), "other")
	require.Equal(t, want, obj)
}

type unshowable struct {
	rest.SlimMeta
	F float64
	f func() ([]byte, error)
}

func (u *unshowable) MarshalJSON() ([]byte, error) { return u.f() }

// An object that cannot be shown says so, and nothing of what is in it.
func TestWhatCannotBeShownSaysNothing(t *testing.T) {
	var nothing *Pod
	for name, c := range map[string]struct {
		obj    any
		redact func(schema.GroupVersionResource, map[string]any)
		want   error
	}{
		"a nil":                   {nil, nil, errNotObject},
		"a typed nil":             {nothing, nil, errNotObject},
		"a function":              {func() {}, nil, errNotEncodable},
		"not a number":            {map[string]any{"a": math.NaN()}, nil, errNotEncodable},
		"a text":                  {canary, nil, errNotObject},
		"a list":                  {[]string{canary}, nil, errNotObject},
		"an encoder that fails":   {&unshowable{f: func() ([]byte, error) { return nil, json.Unmarshal([]byte(canary), new(int)) }}, nil, errNotEncodable},
		"an encoder that panics":  {&unshowable{f: func() ([]byte, error) { panic(canary) }}, nil, errNotEncodable},
		"an encoder that babbles": {&unshowable{f: func() ([]byte, error) { return []byte(canary), nil }}, nil, errNotEncodable},
		"a Redact that panics":    {&Pod{}, func(schema.GroupVersionResource, map[string]any) { panic(canary) }, errRedact},
		"a Redact that babbles":   {&Pod{}, func(_ schema.GroupVersionResource, m map[string]any) { m["a"] = func() {} }, errNotEncodable},
		"a Redact that puts in what panics": {&Pod{}, func(_ schema.GroupVersionResource, m map[string]any) {
			m["a"] = &unshowable{f: func() ([]byte, error) { panic(canary) }}
		}, errNotEncodable},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := render(c.obj, podResource, c.redact)
			require.ErrorIs(t, err, c.want)
			require.NotContains(t, err.Error(), canary)
			require.Empty(t, text)
		})
	}
}

// Whatever the object looks like, a Secret shows nothing but names outside of
// the few fields that are harmless.
func FuzzASecretShowsNamesAlone(f *testing.F) {
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
			if !slices.Contains(harmless, name) {
				requireNamesAlone(t, value)
			}
		}
		metadata, _ := out["metadata"].(map[string]any)
		if annotations, ok := metadata["annotations"]; ok {
			requireNamesAlone(t, annotations)
		}
	})
}

func requireNamesAlone(t *testing.T, value any) {
	fields, ok := value.(map[string]any)
	if !ok {
		require.Equal(t, redacted, value)
	}
	for _, value := range fields {
		require.Equal(t, redacted, value)
	}
}
