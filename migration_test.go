package thinformer_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/controller/leader"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
	"github.com/thinformer/thinformer/rest/kubeconfig"
)

// What docs/migration.md writes instead of client-go's stands below, and does
// what client-go's would: each on a server that has a config map which says hi.
func TestWhatTheMigrationWritesInstead(t *testing.T) {
	for name, after := range map[string]func(*testing.T, *apitest.Server, *rest.Client){
		"clientset": afterClientset, "informer": afterInformer, "queue": afterQueue, "factory": afterFactory,
		"dynamic": afterDynamic, "metadata": afterMetadata, "mapper": afterMapper, "retry": afterRetry,
		"leader": afterLeader, "watch": afterWatch, "fake": afterFake, "pager": afterPager,
	} {
		t.Run(name, func(t *testing.T) {
			srv := apitest.NewServer(apitest.Options{Resources: []apitest.Resource{{ResourceInfo: widgetInfo}}})
			defer srv.Close()
			client, err := rest.New(srv.Config())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			apitest.Create(t, srv, theParrot("hi"))
			after(t, srv, client)
		})
	}
}

var widgetInfo = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, Kind: "Widget", Namespaced: true}

func theParrot(word string) *ConfigMap {
	return &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "parrot", Labels: map[string]string{"kind": "bird"}}, Data: map[string]string{"word": word}}
}

func is(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAKubeconfigInsteadOfClientcmd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	fine(t, os.WriteFile(file, []byte("kind: Config\napiVersion: v1\ncurrent-context: here\nclusters: [{name: c, cluster: {server: 'https://example.com'}}]\nusers: [{name: u, user: {token: x}}]\ncontexts: [{name: here, context: {cluster: c, user: u, namespace: shop}}]\n"), 0o600))
	t.Setenv("KUBECONFIG", file)
	loaded, err := kubeconfig.Load(kubeconfig.Options{}) // in a pod: the pod's own
	fine(t, err)
	is(t, loaded.Config.Host+" "+loaded.Namespace, "https://example.com shop")
}

func afterClientset(t *testing.T, srv *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	configs := rest.NewResource[*ConfigMap](client, configMaps)
	m, err := configs.Namespace("shop").Get(ctx, "parrot", metav1.GetOptions{})
	fine(t, err)
	m.Data["word"] = "hello"
	_, err = configs.Namespace("shop").Update(ctx, m, metav1.UpdateOptions{})
	fine(t, err)
	is(t, apitest.Get(t, srv, theParrot("")).Data["word"], "hello")
}

func afterInformer(t *testing.T, srv *apitest.Server, client *rest.Client) {
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan string, 10)
	say := func(word string) { said <- word }

	inf := informer.New(rest.NewView[*ConfigMap](client, configMaps), informer.Options[*ConfigMap]{})
	byWord, err := inf.AddIndex("word", func(m *ConfigMap) []string { return []string{m.Data["word"]} })
	fine(t, err)
	_, err = inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*ConfigMap]{
		UpdateFunc: func(_, m *ConfigMap) { say(m.Data["word"]) },
	}, informer.HandlerOptions{})
	fine(t, err)
	ended := make(chan error)
	go func() { ended <- inf.Run(ctx) }()
	if err := inf.WaitForSync(ctx); err != nil {
		t.Fatal(err) // it says why
	}
	for m := range byWord.Find("hi") {
		say(m.Name)
	}

	is(t, <-said, "parrot")
	apitest.Modify(t, srv, theParrot(""), func(m *ConfigMap) { m.Data["word"] = "hello" })
	is(t, <-said, "hello")
	cancel()
	fine(t, <-ended)
}

func afterQueue(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx, cancel := context.WithCancel(t.Context())
	inf := informer.New(rest.NewView[*ConfigMap](client, configMaps), informer.Options[*ConfigMap]{})
	seen := make(chan string, 1)
	reconcile := func(_ context.Context, key string) error {
		seen <- key
		return nil
	}

	c := controller.New("greeter", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		return controller.Result{}, reconcile(ctx, req.String())
	}), controller.Options{})
	controller.For(c, inf)
	ended := make(chan error)
	go func() {
		ended <- controller.Run(ctx, controller.RunOptions{Informers: []controller.Informer{inf}}, c)
	}()

	is(t, <-seen, "shop/parrot")
	cancel()
	fine(t, <-ended)
}

func afterFactory(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	factory := informer.NewFactory(informer.FactoryOptions{})
	lister := informer.For(factory, rest.NewView[*ConfigMap](client, configMaps), informer.Options[*ConfigMap]{}).Lister()
	fine(t, factory.Start(ctx))
	fine(t, factory.WaitForSync(ctx))
	m, err := lister.Namespace("shop").Get("parrot")
	fine(t, err)
	all := slices.Collect(lister.List(labels.SelectorFromSet(m.Labels)))
	if len(all) != 1 {
		t.Errorf("%d have the label", len(all))
	}
	fine(t, factory.Shutdown())
}

func afterDynamic(t *testing.T, srv *apitest.Server, client *rest.Client) {
	first := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"namespace": "shop", "name": "first"}}}
	apitest.Create(t, srv, first)
	ctx := t.Context()
	widgets := rest.NewResource[*unstructured.Unstructured](client, widgetInfo)
	w, err := widgets.Namespace("shop").Get(ctx, "first", metav1.GetOptions{})
	fine(t, err)
	is(t, w.GetKind(), "Widget")
	inf := informer.New(widgets, informer.Options[*unstructured.Unstructured]{})
	_ = inf
}

func afterMetadata(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	view := rest.NewView[*metav1.PartialObjectMetadata](client, configMaps)
	list, err := view.List(ctx, metav1.ListOptions{})
	fine(t, err)
	for m, err := range list.Items() {
		fine(t, err)
		is(t, m.Labels["kind"], "bird")
	}
}

func afterMapper(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	mapper := discovery.NewMapper(discovery.New(client))
	found, err := mapper.ForKind(ctx, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	fine(t, err)
	is(t, found.Resource, "widgets")
}

func afterRetry(t *testing.T, srv *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	configs := rest.NewResource[*ConfigMap](client, configMaps)
	err := rest.RetryOnConflict(ctx, func(ctx context.Context) error {
		m, err := configs.Namespace("shop").Get(ctx, "parrot", metav1.GetOptions{})
		if err != nil {
			return err
		}
		m.Data["word"] = "hello"
		_, err = configs.Namespace("shop").Update(ctx, m, metav1.UpdateOptions{})
		return err
	})
	fine(t, err)
	is(t, apitest.Get(t, srv, theParrot("")).Data["word"], "hello")
}

func afterLeader(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx, cancel := context.WithCancel(t.Context())
	leads := make(chan struct{})
	run := func(ctx context.Context) error {
		close(leads)
		<-ctx.Done()
		return nil
	}

	elector := leader.New(client, leader.Options{Namespace: "shop", Name: "greeter"})
	ended := make(chan error)
	go func() { ended <- elector.Run(ctx, run) }() // or controller.RunOptions{Leader: elector}

	<-leads
	cancel()
	fine(t, <-ended)
}

func afterWatch(t *testing.T, srv *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	view := rest.NewView[*ConfigMap](client, configMaps)
	w, err := view.Namespace("shop").Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=parrot"})
	fine(t, err)
	defer w.Stop()
	apitest.Modify(t, srv, theParrot(""), func(m *ConfigMap) { m.Data["word"] = "hello" })
	word := ""
	for word != "hello" {
		event, err := w.Next(ctx) // io.EOF: the server has ended the watch
		if err != nil {
			t.Fatal(err)
		}
		word = event.Object.Data["word"]
	}
}

func afterFake(t *testing.T, _ *apitest.Server, _ *rest.Client) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	apitest.Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "parrot"}})
	client, err := rest.New(srv.Config()) // and your code is given a real client
	fine(t, err)
	defer client.Close()
	_, err = rest.NewView[*ConfigMap](client, configMaps).Namespace("shop").Get(t.Context(), "parrot", metav1.GetOptions{})
	fine(t, err)
}

func afterPager(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	view := rest.NewView[*ConfigMap](client, configMaps)
	var names []string
	say := func(name string) { names = append(names, name) }
	err := func() error {
		list, err := view.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for m, err := range list.Items() { // page after page, while they arrive
			if err != nil {
				return err
			}
			say(m.Name)
		}
		return nil
	}()
	fine(t, err)
	if !slices.Equal(names, []string{"parrot"}) {
		t.Errorf("%v", names)
	}
}
