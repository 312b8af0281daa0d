package requests

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lamp is a custom resource without a kind.
type lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Watts int    `json:"watts"`
		Color string `json:"color,omitempty"`
	} `json:"spec"`
}

var lamps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "home.example.com", Version: "v1", Resource: "lamps"},
	Kind:                 "Lamp", Namespaced: true,
}

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"lamps.home.example.com"},
"spec":{"group":"home.example.com","scope":"Namespaced","names":{"plural":"lamps","singular":"lamp","kind":"Lamp","listKind":"LampList"},
"versions":[{"name":"v1","served":true,"storage":true,"selectableFields":[{"jsonPath":".spec.color"}],"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"watts":{"type":"integer"},"color":{"type":"string"}}}}}}}]}}`

func newClient(t *testing.T) *rest.Client {
	servers, err := plane.Start(t.Context(), plane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, servers.Close()) })
	client, err := rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// defineLamps defines the custom resource and waits until it is served. Only a
// success shows that: a 404 of an object that does not exist and a 404 of a path
// that is not served yet are the same to a client.
func defineLamps(t *testing.T, client *rest.Client) {
	require.NoError(t, client.Post().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").Body([]byte(definition)).Do(t.Context()).Error())
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		list, err := rest.NewView[*lamp](client, lamps).Namespace("default").List(t.Context(), metav1.ListOptions{Limit: 1})
		require.NoError(c, err)
		list.Close()
	}, time.Minute, 100*time.Millisecond)
}

// A Body without a kind works for built-in resources. For a custom resource the error says
// what to do. With a kind, or through a Resource, it works.
func TestBodyWithoutKind(t *testing.T) {
	client := newClient(t)
	defineLamps(t, client)
	core, home := client.GroupVersion(schema.GroupVersion{Version: "v1"}), client.GroupVersion(lamps.GroupVersion())
	const hint = "has no kind: set its TypeMeta, or write it through a Resource"
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "default", Name: name} }

	t.Run("built-in", func(t *testing.T) {
		var made corev1.ConfigMap
		request := core.Post().Resource("configmaps").Namespace("default")
		require.NoError(t, request.Body(&corev1.ConfigMap{ObjectMeta: meta("a"), Data: map[string]string{"k": "1"}}).Do(t.Context()).Into(&made))
		made.TypeMeta, made.Data["k"] = metav1.TypeMeta{}, "2"
		require.NoError(t, core.Put().Resource("configmaps").Namespace("default").Name("a").Body(&made).Do(t.Context()).Into(&made))
		require.Equal(t, "2", made.Data["k"])
		require.NoError(t, core.Delete().Resource("configmaps").Namespace("default").Name("a").Body(&metav1.DeleteOptions{}).Do(t.Context()).Error())
	})
	t.Run("custom", func(t *testing.T) {
		post := func(body any) error {
			return home.Post().Resource("lamps").Namespace("default").Body(body).Do(t.Context()).Error()
		}
		for _, body := range []any{
			&lamp{ObjectMeta: meta("b")}, lamp{ObjectMeta: meta("b")},
			map[string]any{"metadata": map[string]any{"name": "b"}},
			&lamp{TypeMeta: metav1.TypeMeta{APIVersion: "home.example.com/v1"}, ObjectMeta: meta("b")},
			&unstructured.Unstructured{Object: map[string]any{"apiVersion": "home.example.com/v1", "metadata": map[string]any{"name": "b"}}},
		} {
			require.ErrorContains(t, post(body), hint, "%T", body)
		}
		noVersion := &lamp{TypeMeta: metav1.TypeMeta{Kind: "Lamp"}, ObjectMeta: meta("b")}
		require.ErrorContains(t, post(noVersion), "has no apiVersion: set its TypeMeta")
		typed := &lamp{TypeMeta: metav1.TypeMeta{APIVersion: "home.example.com/v1", Kind: "Lamp"}, ObjectMeta: meta("b")}
		require.NoError(t, post(typed))
		require.True(t, apierrors.IsAlreadyExists(post(typed)))

		stored, err := rest.NewResource[*lamp](client, lamps).Namespace("default").Create(t.Context(), &lamp{ObjectMeta: meta("c")}, metav1.CreateOptions{})
		require.NoError(t, err)
		stored.TypeMeta = metav1.TypeMeta{}
		err = home.Put().Resource("lamps").Namespace("default").Name("c").Body(stored).Do(t.Context()).Error()
		require.ErrorContains(t, err, hint)
	})
	t.Run("applied", func(t *testing.T) {
		apply := func(g *rest.RESTClient, resource string, body any) error {
			request := g.Patch(types.ApplyPatchType).Resource(resource).Namespace("default").Name("d").Param("fieldManager", "test")
			return request.Body(body).Do(t.Context()).Error()
		}
		require.ErrorContains(t, apply(core, "configmaps", &corev1.ConfigMap{ObjectMeta: meta("d")}), hint)
		require.ErrorContains(t, apply(home, "lamps", &lamp{ObjectMeta: meta("d")}), hint)
		require.NoError(t, apply(core, "configmaps", &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta("d")}))
	})
}

// A controller that waits for its own write lists with the informer's selectors, the name of
// the object and the written version, and learns whether the informer selects the object.
func TestListByNameWithSelectorsOfInformer(t *testing.T) {
	client := newClient(t)
	defineLamps(t, client)
	resource := rest.NewResource[*lamp](client, lamps).Namespace("default")
	red := informer.New(listwatch.Select[*lamp](rest.NewView[*lamp](client, lamps).Namespace("default"),
		labels.SelectorFromSet(labels.Set{"floor": "1"}), fields.OneTermEqualSelector("spec.color", "red")), informer.Options[*lamp]{})
	create := func(name, color string) *lamp {
		made := &lamp{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"floor": "1"}}}
		made.Spec.Color = color
		made, err := resource.Create(t.Context(), made, metav1.CreateOptions{})
		require.NoError(t, err)
		return made
	}
	lists := func(l *lamp) bool {
		listed, err := red.ListedByServer(t.Context(), "default", l.Name, l.ResourceVersion)
		require.NoError(t, err)
		return listed
	}
	a, b := create("a", "red"), create("b", "blue")
	require.True(t, lists(a))
	require.False(t, lists(b))
	b.Spec.Color = "red"
	b, err := resource.Update(t.Context(), b, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.True(t, lists(b), "the response has the written version")
	require.NoError(t, resource.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	// The version is that of a later write: the server may respond from a state as old as
	// the given version, and the version of a is older than the deletion.
	a.ResourceVersion = create("c", "red").ResourceVersion
	require.False(t, lists(a))

	pods := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true}
	onNode := informer.New(listwatch.Select[*corev1.Pod](rest.NewView[*corev1.Pod](client, pods), nil, fields.OneTermEqualSelector("spec.nodeName", "n1")), informer.Options[*corev1.Pod]{})
	_, err = onNode.ListedByServer(t.Context(), "default", "none", b.ResourceVersion)
	require.NoError(t, err)
}
