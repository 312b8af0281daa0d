package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestWatch(t *testing.T) {
	client := fake.NewClientset(
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "prices"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "hidden"}},
	)
	var names []string
	if err := Watch(t.Context(), client, func(m *corev1.ConfigMap) { names = append(names, m.Name) }); err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 || names[0] != "prices" {
		t.Fatal(names)
	}
}
