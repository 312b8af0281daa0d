package interop_test

import (
	oldrand "math/rand"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/resource"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/thinformer/thinformer/informer"
)

// The types of k8s.io/api without their methods. Types without generated code are copied
// by reflection.
type (
	barePod           corev1.Pod
	bareNode          corev1.Node
	bareEvent         corev1.Event
	barePV            corev1.PersistentVolume
	bareStatefulSet   appsv1.StatefulSet
	bareHPA           autoscalingv2.HorizontalPodAutoscaler
	bareCronJob       batchv1.CronJob
	bareEndpointSlice discoveryv1.EndpointSlice
	bareIngress       networkingv1.Ingress
	bareResourceClaim resourcev1.ResourceClaim
	bareResourceSlice resourcev1.ResourceSlice
)

// cloned copies by reflection and by the type's own method, and modifies one copy to check
// that the original does not change.
func cloned[Bare, Full any, P interface {
	*Full
	DeepCopy() *Full
}](t *testing.T, seed int64) {
	t.Helper()
	original := new(Full)
	fuzzer.FuzzerFor(metafuzzer.Funcs, oldrand.NewSource(seed), scheme.Codecs).Fill(original)
	want := P(original).DeepCopy()
	bareType := reflect.TypeFor[*Bare]()
	bare := reflect.ValueOf(original).Convert(bareType).Interface().(*Bare)

	clone := informer.Clone(bare)
	got := reflect.ValueOf(clone).Convert(reflect.TypeFor[*Full]()).Interface().(*Full)
	require.Equal(t, want, got)
	scramble(reflect.ValueOf(clone).Elem())
	require.Equal(t, want, original, "scrambling the copy has changed the original")

	own := informer.Clone(original)
	require.Equal(t, want, own)
	scramble(reflect.ValueOf(own).Elem())
	require.Equal(t, want, original, "scrambling the copy has changed the original")
}

// Clone by reflection returns the same copies as the generated code of k8s.io/api.
func FuzzCloneIsTheGeneratedDeepCopy(f *testing.F) {
	for seed := range int64(5) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		cloned[barePod, corev1.Pod](t, seed)
		cloned[bareNode, corev1.Node](t, seed)
		cloned[bareEvent, corev1.Event](t, seed)
		cloned[barePV, corev1.PersistentVolume](t, seed)
		cloned[bareStatefulSet, appsv1.StatefulSet](t, seed)
		cloned[bareHPA, autoscalingv2.HorizontalPodAutoscaler](t, seed)
		cloned[bareCronJob, batchv1.CronJob](t, seed)
		cloned[bareEndpointSlice, discoveryv1.EndpointSlice](t, seed)
		cloned[bareIngress, networkingv1.Ingress](t, seed)
		cloned[bareResourceClaim, resourcev1.ResourceClaim](t, seed)
		cloned[bareResourceSlice, resourcev1.ResourceSlice](t, seed)
	})
}

// scramble modifies everything that a value refers to, in place.
func scramble(v reflect.Value) {
	if q, ok := v.Addr().Interface().(*resource.Quantity); ok {
		q.Add(resource.MustParse("7"))
		q.Neg()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scramble(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() && v.Elem().Kind() == reflect.Pointer {
			scramble(v.Elem().Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			scramble(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			element := reflect.New(v.Type().Elem()).Elem()
			element.Set(v.MapIndex(key))
			scramble(element)
			v.SetMapIndex(key, reflect.Value{})
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				scramble(v.Field(i))
			}
		}
	default:
		v.SetZero()
	}
}
