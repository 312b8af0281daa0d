package docs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// This file has the code of the section of docs/your-controller.md about kinds that are
// known only at run time.

// Definition has the fields of a CustomResourceDefinition that the program needs.
type Definition struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group string `json:"group"`
		Scope string `json:"scope"`
		Names struct {
			Plural string `json:"plural"`
			Kind   string `json:"kind"`
		} `json:"names"`
		Versions []DefinitionVersion `json:"versions"`
	} `json:"spec"`
}

type DefinitionVersion struct {
	Name   string `json:"name"`
	Served bool   `json:"served"`
}

var definitionInfo = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	Kind:                 "CustomResourceDefinition",
}

// kinds runs a controller for each definition.
type kinds struct {
	client      *rest.Client
	factory     *informer.Factory
	definitions *informer.SharedInformer[*Definition]
	program     *controller.Program
	reconcile   func(ctx context.Context, obj *unstructured.Unstructured) error
	running     map[string]runningKind // by the name of the definition
}

type runningKind struct {
	controller *controller.Controller
	objects    *informer.SharedInformer[*unstructured.Unstructured]
}

func newKinds(client *rest.Client, o controller.RunOptions, reconcile func(context.Context, *unstructured.Unstructured) error) *kinds {
	k := &kinds{client: client, factory: informer.NewFactory(informer.FactoryOptions{}), reconcile: reconcile, running: map[string]runningKind{}}
	k.definitions = informer.For(k.factory, rest.NewView[*Definition](client, definitionInfo), informer.Options[*Definition]{})
	c := controller.New("definitions", k, controller.Options{}) // one worker, so that running needs no lock
	controller.For(c, k.definitions)
	o.Factory = k.factory
	k.program = controller.NewProgram(o, c)
	return k // main calls k.program.Run
}

func (k *kinds) Reconcile(ctx context.Context, req controller.Request) (controller.Result, error) {
	definition, exists := k.definitions.Get(req.Name)
	running, runs := k.running[req.Name]
	switch {
	case exists && !runs:
		return controller.Result{}, k.add(definition)
	case !exists && runs:
		if err := k.program.Remove(ctx, running.controller); err != nil { // waits for reconciles in progress
			return controller.Result{}, err
		}
		running.objects.Release() // after Remove: a controller fails if its informer ends first
		delete(k.running, req.Name)
	}
	return controller.Result{}, nil
}

// add runs a controller for the objects of a definition.
func (k *kinds) add(d *Definition) error {
	served := slices.IndexFunc(d.Spec.Versions, func(v DefinitionVersion) bool { return v.Served })
	if served < 0 {
		return nil // a change of the definition queues its key again
	}
	info := rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: d.Spec.Group, Version: d.Spec.Versions[served].Name, Resource: d.Spec.Names.Plural},
		Kind:                 d.Spec.Names.Kind,
		Namespaced:           d.Spec.Scope == "Namespaced",
	}
	objects := informer.For(k.factory, rest.NewView[*unstructured.Unstructured](k.client, info), informer.Options[*unstructured.Unstructured]{})
	c := controller.New(d.Name, controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		obj, ok := objects.Get(req.String())
		if !ok {
			return controller.Result{}, nil
		}
		return controller.Result{}, k.reconcile(ctx, obj)
	}), controller.Options{})
	controller.For(c, objects)
	if err := k.program.Add(c); err != nil { // reconciles as soon as the informer has synced
		objects.Release()
		return fmt.Errorf("add a controller for %s: %w", d.Name, err)
	}
	k.running[d.Name] = runningKind{c, objects}
	return nil
}

// A controller follows the objects of a definition from its creation to its deletion, and
// again when it is created once more.
func TestWebsitesWhoseDefinitionComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.NewServer(apitest.Options{InMemory: true, Logger: quiet})
		defer srv.Close()
		client, err := rest.New(srv.Config())
		requireNoError(t, err)
		defer client.Close()
		var mu sync.Mutex
		var reconciled []string
		k := newKinds(client, controller.RunOptions{NoSignals: true, Logger: quiet}, func(_ context.Context, obj *unstructured.Unstructured) error {
			mu.Lock()
			defer mu.Unlock()
			reconciled = append(reconciled, obj.GetKind()+" "+obj.GetName())
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- k.program.Run(ctx) }()
		definitions := rest.NewResource[*unstructured.Unstructured](client, definitionInfo)
		for range 2 {
			definition := new(unstructured.Unstructured)
			requireNoError(t, yaml.Unmarshal(crd, &definition.Object))
			apitest.Create(t, srv, definition)
			apitest.Create(t, srv, &Website{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "blog"}})
			time.Sleep(10 * time.Second)
			requireNoError(t, definitions.Delete(ctx, definition.GetName(), metav1.DeleteOptions{}))
			synctest.Wait()
			if n := len(k.factory.Informers()); n != 1 {
				t.Errorf("%d informers after the deletion of the definition, want 1", n)
			}
		}
		mu.Lock()
		requireEqual(t, strings.Join(reconciled, ", "), "Website blog, Website blog")
		mu.Unlock()
		cancel()
		requireNoError(t, <-ended)
	})
}
