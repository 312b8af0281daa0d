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

// collection is what one informer of each library follows.
type collection struct {
	rest.ResourceInfo
	// object is empty, of the type that a clientset has for the collection. nil:
	// there is none.
	object runtime.Object
}

// namespace of all objects.
const namespace = "default"

// key of the object by which an informer is seen to be current.
const markerName, markerKey = "marker", namespace + "/marker"

// round is the annotation that is written.
const round = "example.com/round"

// collectionsOf are n collections for those sources.
func collectionsOf(s sources, n int) (all []collection) {
	if s == fromClientset {
		return coreCollections()[:n]
	}
	groups := 3
	if n > 20 {
		groups = 8 // as an operator has that follows much of a cluster
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

// custom returns the collections that the server has to be configured with.
func custom(all []collection) (resources []apitest.Resource) {
	for _, c := range all {
		if c.object == nil {
			resources = append(resources, apitest.Resource{ResourceInfo: c.ResourceInfo})
		}
	}
	return resources
}

// marker is the object by which an informer of the collection is seen to be
// current.
func (c collection) marker() *unstructured.Unstructured {
	object := new(unstructured.Unstructured)
	object.SetGroupVersionKind(c.GroupVersionKind())
	object.SetNamespace(namespace)
	object.SetName(markerName)
	return object
}

// others is how many objects a collection has besides its marker.
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

// listTime is how long one list of a collection takes: the median of some.
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
