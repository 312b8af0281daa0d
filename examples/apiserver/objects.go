package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// initialObjects are the objects without -bare.
const initialObjects = `
apiVersion: v1
kind: ConfigMap
metadata: {name: coredns, namespace: kube-system}
data:
  Corefile: |
    .:53 {
        kubernetes cluster.local in-addr.arpa ip6.arpa
        forward . /etc/resolv.conf
    }
---
apiVersion: v1
kind: Node
metadata: {name: worker-1, labels: {kubernetes.io/hostname: worker-1}}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: default, labels: {app: web}}
spec: {nodeName: worker-1, containers: [{name: web, image: nginx}]}
status: {phase: Running}
`

// fill creates the initial objects.
func fill(ctx context.Context, srv *apitest.Server, f flags) error {
	if f.crds != "" {
		if err := define(ctx, srv, f.crds); err != nil {
			return err
		}
	}
	if f.bare {
		return nil
	}
	objects, err := read(initialObjects)
	if err != nil {
		return err
	}
	for _, obj := range objects {
		apitest.Create(nil, srv, obj)
	}
	return nil
}

// define creates the objects in the files of a directory, as kubectl create does.
func define(ctx context.Context, srv *apitest.Server, dir string) error {
	client, err := rest.New(srv.Config())
	if err != nil {
		return err
	}
	defer client.Close()
	definitions := rest.NewResource[*unstructured.Unstructured](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		Kind:                 "CustomResourceDefinition",
	})
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the definitions: %w", err)
	}
	for _, file := range files {
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file.Name())) {
			continue
		}
		name := filepath.Join(dir, file.Name())
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read the definitions: %w", err)
		}
		objects, err := read(string(text))
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		for _, obj := range objects {
			if _, err := definitions.Create(ctx, obj, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("create the definitions of %s: %w", name, err)
			}
		}
	}
	return nil
}

// read parses the documents of a file.
func read(text string) (objects []*unstructured.Unstructured, err error) {
	for document := range strings.SplitSeq("\n"+text, "\n---") {
		obj := new(unstructured.Unstructured)
		if err := yaml.Unmarshal([]byte(document), &obj.Object); err != nil {
			return nil, err
		}
		if len(obj.Object) > 0 {
			objects = append(objects, obj)
		}
	}
	return objects, nil
}
