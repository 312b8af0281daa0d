package main

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/interop/controllers/steps"
	shopv1 "github.com/thinformer/thinformer/interop/testdata/widgets/apis/shop/v1"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
)

// stockName is the name of the stock with the places.
const stockName = "custom-controller"

var (
	namespacesResource  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitionsResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

//go:embed crds.yaml
var definitions []byte

// users acts as the users of the cluster, which write widgets and a stock.
type users struct {
	ctx       context.Context
	namespace string
	client    versioned.Interface
	recorder  *steps.Recorder
}

// newUsers defines the kinds, and creates a namespace with one widget and a stock of two
// places.
func newUsers(ctx context.Context, untyped dynamic.Interface, client versioned.Interface, recorder *steps.Recorder) (*users, error) {
	if err := define(ctx, untyped, client); err != nil {
		return nil, fmt.Errorf("define the kinds: %w", err)
	}
	namespace, err := untyped.Resource(namespacesResource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"generateName": "custom-"},
	}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	// A stock is not in the namespace: an earlier run may have left it.
	if err := client.ShopV1().Stocks().Delete(ctx, stockName, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	_, err = client.ShopV1().Stocks().Create(ctx, &shopv1.Stock{ObjectMeta: metav1.ObjectMeta{Name: stockName}, Places: 2}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	u := &users{ctx: ctx, namespace: namespace.GetName(), client: client, recorder: recorder}
	return u, u.create("chair", "red")()
}

// define creates the definitions that do not exist, and waits until both kinds are served.
func define(ctx context.Context, untyped dynamic.Interface, client versioned.Interface) error {
	list := new(unstructured.UnstructuredList)
	text, err := yaml.YAMLToJSON(definitions)
	if err != nil {
		return err
	}
	if err := list.UnmarshalJSON(text); err != nil {
		return err
	}
	for i := range list.Items {
		if _, err := untyped.Resource(definitionsResource).Create(ctx, &list.Items[i], metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		_, widgets := client.ShopV1().Widgets("").List(ctx, metav1.ListOptions{})
		_, stocks := client.ShopV1().Stocks().List(ctx, metav1.ListOptions{})
		return widgets == nil && stocks == nil, nil
	})
}

// play creates and deletes widgets and changes the stock.
func (u *users) play() error {
	for _, step := range []struct {
		title string
		do    func() error
		want  []string
	}{
		{"initial objects", func() error { return nil }, []string{"chair: place 1"}},
		{"a second widget", u.create("lamp", "green"), []string{"lamp: place 2"}},
		{"a third one", u.create("table", "blue"), []string{"table: none"}},
		{"the stock gets a place", u.resize(3), []string{"table: place 3"}},
		{"a widget before the others", u.create("bed", "white"), []string{"bed: place 1", "chair: place 2", "lamp: place 3", "table: none"}},
		{"it is deleted", u.delete("bed"), []string{"bed, which was white, was deleted", "chair: place 1", "lamp: place 2", "table: place 3"}},
		{"the stock is deleted", u.deleteStock, []string{"chair: none", "lamp: none", "table: none"}},
	} {
		if err := u.recorder.Step(step.title, step.do, step.want...); err != nil {
			return err
		}
	}
	return u.recorder.Step("the end", func() error { return nil })
}

func (u *users) create(name, colour string) func() error {
	return func() error {
		_, err := u.client.ShopV1().Widgets(u.namespace).Create(u.ctx, &shopv1.Widget{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: shopv1.WidgetSpec{Colour: colour},
		}, metav1.CreateOptions{})
		return err
	}
}

func (u *users) resize(places int32) func() error {
	patch := fmt.Appendf(nil, `{"places":%d}`, places)
	return func() error {
		_, err := u.client.ShopV1().Stocks().Patch(u.ctx, stockName, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

func (u *users) delete(name string) func() error {
	return func() error {
		return u.client.ShopV1().Widgets(u.namespace).Delete(u.ctx, name, metav1.DeleteOptions{})
	}
}

func (u *users) deleteStock() error {
	return u.client.ShopV1().Stocks().Delete(u.ctx, stockName, metav1.DeleteOptions{})
}
