package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func newFactory(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, 0)
}
