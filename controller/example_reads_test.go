package controller_test

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Each application names a theme. Get makes the theme a dependency of the application,
// also while it does not exist: its creation and its changes reconcile the application,
// without a mapping and an index. The bodies of other themes are not requested.
func ExampleGet() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	view := rest.NewView[*configMap](client, configMaps)
	factory := informer.NewFactory(informer.FactoryOptions{})
	applications := informer.For(factory, view.Namespace("applications"), informer.Options[*configMap]{})
	themes := informer.ForBodies(factory, view.Namespace("themes"), informer.BodyOptions[*configMap]{})

	reconciled := make(chan string)
	c := controller.New("applications", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		application, ok, err := controller.Get(ctx, applications, req.String())
		if err != nil || !ok {
			return controller.Result{}, err
		}
		name := application.Data["theme"]
		theme, ok, err := controller.Get(ctx, themes, "themes/"+name)
		if err != nil {
			return controller.Result{}, err
		}
		if !ok {
			reconciled <- "there is no theme " + name
			return controller.Result{}, nil // its creation reconciles the application
		}
		reconciled <- "the color is " + theme.Data["color"]
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, applications)
	controller.Reads(c, themes)

	apitest.Create(nil, srv, newMapIn("applications", "shop", map[string]string{"theme": "dark"}))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c) }()
	fmt.Println(<-reconciled)
	dark := apitest.Create(nil, srv, newMapIn("themes", "dark", map[string]string{"color": "black"}))
	fmt.Println(<-reconciled)
	apitest.Modify(nil, srv, dark, func(m *configMap) { m.Data["color"] = "gray" })
	fmt.Println(<-reconciled)
	stop()
	fmt.Println("ended:", <-ended)
	// Output:
	// there is no theme dark
	// the color is black
	// the color is gray
	// ended: <nil>
}

// The reconcile of a theme finds the applications that use it. It is reconciled again when
// an application begins or ceases to use it.
func ExampleFind() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	view := rest.NewView[*configMap](client, configMaps)
	factory := informer.NewFactory(informer.FactoryOptions{})
	themes := informer.For(factory, view.Namespace("themes"), informer.Options[*configMap]{})
	applications := informer.For(factory, view.Namespace("applications"), informer.Options[*configMap]{})
	byTheme, err := applications.AddIndex("theme", func(m *configMap) []string { return []string{m.Data["theme"]} })
	if err != nil {
		panic(err)
	}

	reconciled := make(chan string)
	c := controller.New("themes", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		found, err := controller.Find(ctx, byTheme, req.Name)
		if err != nil {
			return controller.Result{}, err
		}
		var names []string
		for application := range found {
			names = append(names, application.Name)
		}
		slices.Sort(names)
		reconciled <- fmt.Sprint(req.Name, " is used by ", names)
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, themes)
	controller.Reads(c, applications)

	apitest.Create(nil, srv, newMapIn("themes", "dark", nil))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c) }()
	fmt.Println(<-reconciled)
	shop := apitest.Create(nil, srv, newMapIn("applications", "shop", map[string]string{"theme": "dark"}))
	fmt.Println(<-reconciled)
	apitest.Modify(nil, srv, shop, func(m *configMap) { m.Data["theme"] = "light" })
	fmt.Println(<-reconciled)
	stop()
	fmt.Println("ended:", <-ended)
	// Output:
	// dark is used by []
	// dark is used by [shop]
	// dark is used by []
	// ended: <nil>
}

// A predicate of Reads selects the updates that count: here those of the data, not those
// of annotations.
func ExampleReads() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	view := rest.NewView[*configMap](client, configMaps)
	factory := informer.NewFactory(informer.FactoryOptions{})
	applications := informer.For(factory, view.Namespace("applications"), informer.Options[*configMap]{})
	themes := informer.For(factory, view.Namespace("themes"), informer.Options[*configMap]{})

	reconciled := make(chan string)
	c := controller.New("applications", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
		theme, _, err := controller.Get(ctx, themes, "themes/dark")
		if err != nil {
			return controller.Result{}, err
		}
		reconciled <- fmt.Sprint("the color is ", theme.Data["color"], ", ", len(theme.Annotations), " annotations")
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, applications)
	controller.Reads(c, themes, controller.Changed(func(m *configMap) string { return m.Data["color"] }))

	apitest.Create(nil, srv, newMapIn("applications", "shop", nil))
	dark := apitest.Create(nil, srv, newMapIn("themes", "dark", map[string]string{"color": "black"}))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c) }()
	fmt.Println(<-reconciled)
	dark = apitest.Modify(nil, srv, dark, func(m *configMap) { metav1.SetMetaDataAnnotation(&m.ObjectMeta, "seen", "true") })
	if err := themes.WaitForVersion(ctx, dark.ResourceVersion); err != nil { // it reconciles nothing
		panic(err)
	}
	apitest.Modify(nil, srv, dark, func(m *configMap) { m.Data["color"] = "gray" })
	fmt.Println(<-reconciled)
	fmt.Println(c.Explain(controller.Request{Namespace: "applications", Name: "shop"}).Dependencies)
	stop()
	fmt.Println("ended:", <-ended)
	// Output:
	// the color is black, 0 annotations
	// the color is gray, 1 annotations
	// [configmaps -n themes themes/dark]
	// ended: <nil>
}

// The write of the first reconcile causes no further one. The write of another client
// does.
func ExampleNotOwnWrites() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	resource := rest.NewResource[*configMap](client, configMaps).Namespace("shop")
	factory := informer.NewFactory(informer.FactoryOptions{})
	maps := informer.For(factory, resource, informer.Options[*configMap]{})

	reconciled := make(chan string)
	c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		m, ok, err := controller.Get(ctx, maps, req.String()) // NotOwnWrites needs this read of what is written
		if err != nil || !ok {
			return controller.Result{}, err
		}
		reconciled <- fmt.Sprintf("%s has the word %q", req, m.Data["word"])
		m = informer.Clone(m)
		m.Data = map[string]string{"word": "hello"}
		_, err = resource.Update(ctx, m, metav1.UpdateOptions{})
		return controller.Result{}, err
	}), controller.Options{})
	controller.NotOwnWrites(controller.For(c, maps))

	parrot := apitest.Create(nil, srv, newMapIn("shop", "parrot", nil))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c) }()
	fmt.Println(<-reconciled)
	written := apitest.Wait(nil, srv, parrot, func(m *configMap) bool { return m.Data["word"] == "hello" })
	if err := maps.WaitForVersion(ctx, written.ResourceVersion); err != nil { // it reconciles nothing
		panic(err)
	}
	apitest.Modify(nil, srv, parrot, func(m *configMap) { m.Data["word"] = "bye" })
	fmt.Println(<-reconciled)
	apitest.Wait(nil, srv, parrot, func(m *configMap) bool { return m.Data["word"] == "hello" })
	stop()
	fmt.Println("ended:", <-ended)
	// Output:
	// shop/parrot has the word ""
	// shop/parrot has the word "bye"
	// ended: <nil>
}

func newMapIn(namespace, name string, data map[string]string) *configMap {
	m := newMap(name)
	m.Namespace, m.Data = namespace, data
	return m
}
