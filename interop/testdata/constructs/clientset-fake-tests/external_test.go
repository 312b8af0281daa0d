package main_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	maps "github.com/thinformer/thinformer/interop/testdata/constructs/clientset-fake-tests"
)

func TestWatchOfReactors(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("list", "configmaps", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.ConfigMapList{Items: []corev1.ConfigMap{{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "prices"}}}}, nil
	})
	called := 0
	if err := maps.Watch(t.Context(), client, func(*corev1.ConfigMap) { called++ }); err != nil {
		t.Fatal(err)
	}
	if called != 1 {
		t.Fatal(called)
	}
}

func TestEventsOfAFakeWatch(t *testing.T) {
	client, events := fake.NewClientset(), watch.NewFake()
	client.PrependWatchReactor("configmaps", k8stesting.DefaultWatchReactor(events, nil))
	factory := informers.NewSharedInformerFactory(client, 0)
	informer, added := factory.Core().V1().ConfigMaps().Informer(), make(chan string, 1)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { added <- obj.(*corev1.ConfigMap).Name }}); err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context().Done())
	if !cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced) {
		t.Fatal("the informer has not synced")
	}
	events.Add(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "late", ResourceVersion: "2"}})
	select {
	case name := <-added:
		if name != "late" {
			t.Fatal(name)
		}
	case <-time.After(time.Minute):
		t.Fatal("the event has not arrived")
	}
}
