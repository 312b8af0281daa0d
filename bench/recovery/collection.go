package recovery

import (
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// collection is the collection of one informer of each library.
type collection struct {
	rest.ResourceInfo
	// object is an empty object of the clientset's type for the collection, or nil if
	// there is none.
	object runtime.Object
}

// namespace is that of all objects.
const namespace = "default"

// The marker is an object of each collection. An informer is current when it has
// received the last write of its marker.
const markerName, markerKey = "marker", namespace + "/marker"

// round is the annotation with the number of the last write.
const round = "example.com/round"

// collectionsOf returns n collections for sources of a kind.
func collectionsOf(s sources, n int) (all []collection) {
	if s == fromClientset {
		return coreCollections()[:n]
	}
	groups := 3
	if n > 20 {
		groups = 8 // as in an operator that follows many kinds
	}
	for i := range n {
		all = append(all, collection{ResourceInfo: rest.ResourceInfo{
			GroupVersionResource: schema.GroupVersionResource{Group: fmt.Sprintf("g%d.example.com", i%groups), Version: "v1", Resource: fmt.Sprintf("things%d", i)},
			Kind:                 fmt.Sprintf("Thing%d", i), Namespaced: true,
		}})
	}
	return all
}

func coreCollections() (all []collection) {
	for _, object := range []runtime.Object{
		new(corev1.ConfigMap), new(corev1.Event), new(corev1.LimitRange), new(corev1.PersistentVolumeClaim),
		new(corev1.Pod), new(corev1.PodTemplate), new(corev1.ReplicationController), new(corev1.ResourceQuota),
		new(corev1.Secret), new(corev1.ServiceAccount), new(corev1.Service),
	} {
		kind := reflect.TypeOf(object).Elem().Name()
		resource := corev1.SchemeGroupVersion.WithResource(strings.ToLower(kind) + "s")
		all = append(all, collection{rest.ResourceInfo{GroupVersionResource: resource, Kind: kind, Namespaced: true}, object})
	}
	return all
}

// custom returns the collections that the server does not have by default.
func custom(all []collection) (resources []apitest.Resource) {
	for _, c := range all {
		if c.object == nil {
			resources = append(resources, apitest.Resource{ResourceInfo: c.ResourceInfo})
		}
	}
	return resources
}

// marker returns the marker of a collection.
func (c collection) marker() *unstructured.Unstructured {
	object := new(unstructured.Unstructured)
	object.SetGroupVersionKind(c.GroupVersionKind())
	object.SetNamespace(namespace)
	object.SetName(markerName)
	return object
}

// others is the number of objects of a collection besides its marker.
const others = 10

// fill creates the objects of the collections.
func fill(server *apitest.Server, all []collection) {
	for _, c := range all {
		apitest.Create(nil, server, c.marker())
		apitest.Seed(nil, server, others, func(i int) *unstructured.Unstructured {
			object := c.marker()
			object.SetName(fmt.Sprintf("object-%d", i))
			return object
		})
	}
}

// mark writes a number into each marker.
func mark(server *apitest.Server, all []collection, number int) {
	for _, c := range all {
		apitest.Modify(nil, server, c.marker(), func(object *unstructured.Unstructured) {
			object.SetAnnotations(map[string]string{round: strconv.Itoa(number)})
		})
	}
}

// listTime returns the median duration of a list of a collection.
func listTime(server *apitest.Server, c collection) time.Duration {
	path := "/apis/" + c.GroupVersion().String()
	if c.Group == "" {
		path = "/api/" + c.Version
	}
	var took []time.Duration
	for range 5 {
		began := time.Now()
		response := must(http.Get(server.URL + path + "/" + c.Resource))
		must(io.Copy(io.Discard, response.Body))
		check(response.Body.Close())
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
