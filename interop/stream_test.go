package interop_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	clientgo "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Promise: lists and watches, in JSON and in protobuf, of every kind of the corpus:
// View and Watch return the same objects as client-go.
func TestListsAndWatchesAreTheSame(t *testing.T) {
	// A View is of a type that is written out, so the kinds are too.
	for kind, compare := range map[schema.GroupVersionKind]func(*testing.T, *server, string){
		corev1.SchemeGroupVersion.WithKind("Pod"):                                        compare[*corev1.Pod],
		corev1.SchemeGroupVersion.WithKind("Node"):                                       compare[*corev1.Node],
		corev1.SchemeGroupVersion.WithKind("Service"):                                    compare[*corev1.Service],
		corev1.SchemeGroupVersion.WithKind("ConfigMap"):                                  compare[*corev1.ConfigMap],
		corev1.SchemeGroupVersion.WithKind("Secret"):                                     compare[*corev1.Secret],
		corev1.SchemeGroupVersion.WithKind("Event"):                                      compare[*corev1.Event],
		corev1.SchemeGroupVersion.WithKind("Namespace"):                                  compare[*corev1.Namespace],
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"):                             compare[*corev1.ServiceAccount],
		corev1.SchemeGroupVersion.WithKind("PersistentVolume"):                           compare[*corev1.PersistentVolume],
		corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"):                      compare[*corev1.PersistentVolumeClaim],
		corev1.SchemeGroupVersion.WithKind("ResourceQuota"):                              compare[*corev1.ResourceQuota],
		corev1.SchemeGroupVersion.WithKind("LimitRange"):                                 compare[*corev1.LimitRange],
		corev1.SchemeGroupVersion.WithKind("ReplicationController"):                      compare[*corev1.ReplicationController],
		appsv1.SchemeGroupVersion.WithKind("Deployment"):                                 compare[*appsv1.Deployment],
		appsv1.SchemeGroupVersion.WithKind("StatefulSet"):                                compare[*appsv1.StatefulSet],
		appsv1.SchemeGroupVersion.WithKind("DaemonSet"):                                  compare[*appsv1.DaemonSet],
		appsv1.SchemeGroupVersion.WithKind("ReplicaSet"):                                 compare[*appsv1.ReplicaSet],
		appsv1.SchemeGroupVersion.WithKind("ControllerRevision"):                         compare[*appsv1.ControllerRevision],
		batchv1.SchemeGroupVersion.WithKind("Job"):                                       compare[*batchv1.Job],
		batchv1.SchemeGroupVersion.WithKind("CronJob"):                                   compare[*batchv1.CronJob],
		autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"):             compare[*autoscalingv2.HorizontalPodAutoscaler],
		policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"):                      compare[*policyv1.PodDisruptionBudget],
		discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"):                         compare[*discoveryv1.EndpointSlice],
		networkingv1.SchemeGroupVersion.WithKind("Ingress"):                              compare[*networkingv1.Ingress],
		networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"):                        compare[*networkingv1.NetworkPolicy],
		storagev1.SchemeGroupVersion.WithKind("StorageClass"):                            compare[*storagev1.StorageClass],
		coordinationv1.SchemeGroupVersion.WithKind("Lease"):                              compare[*coordinationv1.Lease],
		eventsv1.SchemeGroupVersion.WithKind("Event"):                                    compare[*eventsv1.Event],
		rbacv1.SchemeGroupVersion.WithKind("Role"):                                       compare[*rbacv1.Role],
		rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"):                         compare[*rbacv1.ClusterRoleBinding],
		admissionv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration"):        compare[*admissionv1.ValidatingWebhookConfiguration],
		schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"):                        compare[*schedulingv1.PriorityClass],
		flowcontrolv1.SchemeGroupVersion.WithKind("FlowSchema"):                          compare[*flowcontrolv1.FlowSchema],
		{Group: "shop.example.com", Version: "v1", Kind: "Widget"}:                       compareUntyped,
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}: compareUntyped,
	} {
		t.Run(strings.ToLower(kind.Group+"/"+kind.Kind), func(t *testing.T) {
			s := serverOf(t, kind, 3)
			compare(t, s, s.start(t))
		})
	}
}

func resourceOf(kind schema.GroupVersionKind) rest.ResourceInfo {
	plural, _ := apimeta.UnsafeGuessKindToResource(kind)
	return rest.ResourceInfo{GroupVersionResource: plural, Kind: kind.Kind, Namespaced: true}
}

// compare lists and watches a typed resource with both clients, in both encodings, with and
// without the managed fields; writes its objects back; and reads them as unstructured
// objects and as metadata.
func compare[T rest.Object](t *testing.T, s *server, url string) {
	for _, encoding := range []string{"application/json", protobufType} {
		for name, options := range map[string]rest.DecodeOptions{
			"whole":  {KeepManagedFields: true},
			"lean":   {},
			"shared": {ShareStrings: rest.ShareAlways},
			"copied": {ShareStrings: rest.ShareNever},
		} {
			t.Run(encoding+" "+name, func(t *testing.T) {
				view := viewOf[T](t, url, s.kind, encoding, options)
				sameObjects(t, typedList(t, url, s.kind, encoding), listed(t, view), options.KeepManagedFields)
				sameEvents(t, typedWatch(t, url, s.kind, encoding), watched(t, view), options.KeepManagedFields)
			})
		}
	}
	updates[T](t, s, url)
	compareUntyped(t, s, url)
	t.Run("metadata", func(t *testing.T) {
		view := viewOf[*metav1.PartialObjectMetadata](t, url, s.kind, "application/json", rest.DecodeOptions{KeepManagedFields: true})
		for i, object := range listed(t, view) {
			require.Equal(t, metadataOf(t, typedList(t, url, s.kind, "application/json")[i]), object.(*metav1.PartialObjectMetadata).ObjectMeta)
		}
	})
}

func compareUntyped(t *testing.T, s *server, url string) {
	for name, options := range map[string]rest.DecodeOptions{"whole": {KeepManagedFields: true}, "lean": {}, "copied": {ShareStrings: rest.ShareNever}} {
		t.Run("untyped "+name, func(t *testing.T) {
			view := viewOf[*unstructured.Unstructured](t, url, s.kind, "", options)
			theirs, err := dynamic.NewForConfig(&clientgo.Config{Host: url, QPS: -1})
			require.NoError(t, err)
			resource := theirs.Resource(resourceOf(s.kind).GroupVersionResource)
			list, err := resource.List(context.Background(), metav1.ListOptions{})
			require.NoError(t, err)
			var want []any
			for i := range list.Items {
				want = append(want, &list.Items[i])
			}
			sameObjects(t, want, listed(t, view), options.KeepManagedFields)
			sameEvents(t, received(t, func() (watch.Interface, error) { return resource.Watch(context.Background(), metav1.ListOptions{}) }), watched(t, view), options.KeepManagedFields)
		})
	}
}

func viewOf[T rest.Object](t *testing.T, url string, kind schema.GroupVersionKind, encoding string, options rest.DecodeOptions) *rest.View[T] {
	t.Helper()
	client, err := rest.New(&rest.Config{Host: url, AcceptContentTypes: encoding, Decode: options})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return rest.NewView[T](client, resourceOf(kind))
}

func listed[T rest.Object](t *testing.T, view listwatch.ListerWatcher[T]) (all []any) {
	t.Helper()
	list, err := view.List(context.Background(), metav1.ListOptions{})
	require.NoError(t, err)
	for item, err := range list.Items() {
		require.NoError(t, err)
		all = append(all, item)
	}
	require.Equal(t, "42", list.ResourceVersion())
	return all
}

// event is one event of either client.
type event struct {
	kind   watch.EventType
	object any
}

func watched[T rest.Object](t *testing.T, view listwatch.ListerWatcher[T]) (events []event) {
	t.Helper()
	stream, err := view.Watch(context.Background(), metav1.ListOptions{})
	require.NoError(t, err)
	defer stream.Stop()
	for {
		next, err := stream.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return events
		}
		require.NoError(t, err)
		if next.Type == watch.Bookmark {
			require.Equal(t, "4711", next.ResourceVersion)
			require.True(t, next.InitialEventsEnd)
			require.True(t, reflect.ValueOf(next.Object).IsZero(), "a bookmark has no object")
			events = append(events, event{next.Type, nil})
			continue
		}
		require.Equal(t, next.Object.GetResourceVersion(), next.ResourceVersion)
		events = append(events, event{next.Type, next.Object})
	}
}

// restClient returns client-go's REST client, as its clientsets have one for every kind.
func restClient(t *testing.T, url string, kind schema.GroupVersionKind, encoding string) *clientgo.RESTClient {
	t.Helper()
	version := kind.GroupVersion()
	config := &clientgo.Config{Host: url, APIPath: "/apis", QPS: -1}
	config.GroupVersion, config.NegotiatedSerializer = &version, scheme.Codecs.WithoutConversion()
	config.ContentType, config.AcceptContentTypes = encoding, encoding
	client, err := clientgo.RESTClientFor(config)
	require.NoError(t, err)
	return client
}

func typedList(t *testing.T, url string, kind schema.GroupVersionKind, encoding string) (all []any) {
	t.Helper()
	list, err := scheme.Scheme.New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	require.NoError(t, err)
	require.NoError(t, restClient(t, url, kind, encoding).Get().Resource("them").Do(context.Background()).Into(list))
	items, err := apimeta.ExtractList(list)
	require.NoError(t, err)
	for _, item := range items {
		all = append(all, item)
	}
	return all
}

func typedWatch(t *testing.T, url string, kind schema.GroupVersionKind, encoding string) []event {
	t.Helper()
	return received(t, func() (watch.Interface, error) {
		return restClient(t, url, kind, encoding).Get().Resource("them").Param("watch", "true").Watch(context.Background())
	})
}

func received(t *testing.T, open func() (watch.Interface, error)) (events []event) {
	t.Helper()
	stream, err := open()
	require.NoError(t, err)
	defer stream.Stop()
	for next := range stream.ResultChan() {
		if next.Type == watch.Bookmark {
			next.Object = nil
			events = append(events, event{next.Type, nil})
			continue
		}
		events = append(events, event{next.Type, next.Object})
	}
	return events
}

func sameObjects(t *testing.T, want, got []any, managedFields bool) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i := range want {
		sameObject(t, want[i], got[i], managedFields)
	}
}

func sameEvents(t *testing.T, want, got []event, managedFields bool) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	require.Equal(t, watch.Bookmark, got[len(got)-1].kind)
	for i := range want {
		require.Equal(t, want[i].kind, got[i].kind)
		if got[i].object == nil {
			continue
		}
		// client-go's typed clients remove the type from objects of a watch.
		typed, ours := want[i].object.(schemaObject), got[i].object.(schemaObject)
		if typed.GetObjectKind().GroupVersionKind().Empty() {
			typed.GetObjectKind().SetGroupVersionKind(ours.GetObjectKind().GroupVersionKind())
		}
		sameObject(t, want[i].object, got[i].object, managedFields)
	}
}

type schemaObject interface{ GetObjectKind() schema.ObjectKind }

func sameObject(t *testing.T, want, got any, managedFields bool) {
	t.Helper()
	if !managedFields {
		want.(metav1.Object).SetManagedFields(nil)
	}
	mustEqual(t, want, got, nil)
}

func metadataOf(t *testing.T, object any) metav1.ObjectMeta {
	t.Helper()
	return *object.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
}

// The objects do not depend on how the body is split.
func TestBodyPiecesMakeNoDifference(t *testing.T) {
	kind := corev1.SchemeGroupVersion.WithKind("Pod")
	for _, pieces := range []int{3, 61, 4096} {
		s := serverOf(t, kind, 1)
		s.pieces = pieces
		url := s.start(t)
		for _, encoding := range []string{"application/json", protobufType} {
			t.Run(fmt.Sprintf("%s in pieces of %d", encoding, pieces), func(t *testing.T) {
				view := viewOf[*corev1.Pod](t, url, kind, encoding, rest.DecodeOptions{})
				sameObjects(t, typedList(t, url, kind, encoding), listed(t, view), false)
				sameEvents(t, typedWatch(t, url, kind, encoding), watched(t, view), false)
			})
		}
	}
}

// An ERROR event has the Status that client-go returns as its object.
func TestErrorEventsAreTheSame(t *testing.T) {
	kind := corev1.SchemeGroupVersion.WithKind("Pod")
	s := serverOf(t, kind, 0)
	gone := apierrors.NewResourceExpired("too old: 1 < 2").Status()
	gone.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Status"})
	gone.Details = &metav1.StatusDetails{Kind: "pods", RetryAfterSeconds: 7, Causes: []metav1.StatusCause{{Type: "x", Message: "é\u2028", Field: "f"}}}
	s.failure = &gone
	url := s.start(t)
	for _, encoding := range []string{"application/json", protobufType} {
		t.Run(encoding, func(t *testing.T) {
			theirs := typedWatch(t, url, kind, encoding)
			want := theirs[len(theirs)-1]
			require.Equal(t, watch.Error, want.kind)

			stream, err := viewOf[*corev1.Pod](t, url, kind, encoding, rest.DecodeOptions{}).Watch(context.Background(), metav1.ListOptions{})
			require.NoError(t, err)
			defer stream.Stop()
			for err == nil {
				_, err = stream.Next(context.Background())
			}
			var status *apierrors.StatusError
			require.ErrorAs(t, err, &status)
			require.True(t, apierrors.IsResourceExpired(err))
			got := status.Status()
			got.TypeMeta = want.object.(*metav1.Status).TypeMeta
			require.Equal(t, want.object, &got)
		})
	}
}

// An object may have a few megabytes.
func TestLargeSecretsAreEqual(t *testing.T) {
	big := &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: "big", Namespace: "shop", ResourceVersion: "1"}}
	big.Data = map[string][]byte{"bytes": make([]byte, 3<<20)}
	for i := range big.Data["bytes"] {
		big.Data["bytes"][i] = byte(i ^ i>>7)
	}
	big.StringData = map[string]string{"text": strings.Repeat("all of <this> & \u2028 that\n", 40_000)}
	s := &server{kind: corev1.SchemeGroupVersion.WithKind("Secret"), objects: []runtime.Object{big}, pieces: 48 << 10}
	compare[*corev1.Secret](t, s, s.start(t))
}
