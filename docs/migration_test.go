package docs_test

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

// The replacements on docs/migration.md do the same as client-go's code. Each runs on a
// server with a config map whose word is hi.
func TestReplacementsOfTheMigrationPage(t *testing.T) {
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
			apitest.Create(t, srv, newParrot("hi"))
			after(t, srv, client)
		})
	}
}

var widgetInfo = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, Kind: "Widget", Namespaced: true}

func newParrot(word string) *ConfigMap {
	return &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "parrot", Labels: map[string]string{"kind": "bird"}}, Data: map[string]string{"word": word}}
}

func requireEqual(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func requireNoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAKubeconfigInsteadOfClientcmd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	requireNoError(t, os.WriteFile(file, []byte("kind: Config\napiVersion: v1\ncurrent-context: here\nclusters: [{name: c, cluster: {server: 'https://example.com'}}]\nusers: [{name: u, user: {token: x}}]\ncontexts: [{name: here, context: {cluster: c, user: u, namespace: shop}}]\n"), 0o600))
	t.Setenv("KUBECONFIG", file)
	loaded, err := kubeconfig.Load(kubeconfig.Options{}) // in a pod: the pod's own
	requireNoError(t, err)
	requireEqual(t, loaded.Config.Host+" "+loaded.Namespace, "https://example.com shop")
}

func afterClientset(t *testing.T, srv *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	configs := rest.NewResource[*ConfigMap](client, configMaps)
	m, err := configs.Namespace("shop").Get(ctx, "parrot", metav1.GetOptions{})
	requireNoError(t, err)
	m.Data["word"] = "hello"
	_, err = configs.Namespace("shop").Update(ctx, m, metav1.UpdateOptions{})
	requireNoError(t, err)
	requireEqual(t, apitest.Get(t, srv, newParrot("")).Data["word"], "hello")
}

func afterInformer(t *testing.T, srv *apitest.Server, client *rest.Client) {
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan string, 10)
	say := func(word string) { said <- word }

	inf := informer.New(rest.NewView[*ConfigMap](client, configMaps), informer.Options[*ConfigMap]{})
	byWord, err := inf.AddIndex("word", func(m *ConfigMap) []string { return []string{m.Data["word"]} })
	requireNoError(t, err)
	_, err = inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*ConfigMap]{
		UpdateFunc: func(_, m *ConfigMap) { say(m.Data["word"]) },
	}, informer.HandlerOptions{})
	requireNoError(t, err)
	ended := make(chan error)
	go func() { ended <- inf.Run(ctx) }()
	if err := inf.WaitForSync(ctx); err != nil {
		t.Fatal(err) // the error has the reason
	}
	for m := range byWord.Find("hi") {
		say(m.Name)
	}

	requireEqual(t, <-said, "parrot")
	apitest.Modify(t, srv, newParrot(""), func(m *ConfigMap) { m.Data["word"] = "hello" })
	requireEqual(t, <-said, "hello")
	cancel()
	requireNoError(t, <-ended)
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

	requireEqual(t, <-seen, "shop/parrot")
	cancel()
	requireNoError(t, <-ended)
}

func afterFactory(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	factory := informer.NewFactory(informer.FactoryOptions{})
	lister := informer.For(factory, rest.NewView[*ConfigMap](client, configMaps), informer.Options[*ConfigMap]{}).Lister()
	requireNoError(t, factory.Start(ctx))
	requireNoError(t, factory.WaitForSync(ctx))
	m, err := lister.Namespace("shop").Get("parrot")
	requireNoError(t, err)
	all := slices.Collect(lister.List(labels.SelectorFromSet(m.Labels)))
	if len(all) != 1 {
		t.Errorf("%d have the label", len(all))
	}
	requireNoError(t, factory.Shutdown())
}

func afterDynamic(t *testing.T, srv *apitest.Server, client *rest.Client) {
	first := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"namespace": "shop", "name": "first"}}}
	apitest.Create(t, srv, first)
	ctx := t.Context()
	widgets := rest.NewResource[*unstructured.Unstructured](client, widgetInfo)
	w, err := widgets.Namespace("shop").Get(ctx, "first", metav1.GetOptions{})
	requireNoError(t, err)
	requireEqual(t, w.GetKind(), "Widget")
	inf := informer.New(widgets, informer.Options[*unstructured.Unstructured]{})
	_ = inf
}

func afterMetadata(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	view := rest.NewView[*metav1.PartialObjectMetadata](client, configMaps)
	list, err := view.List(ctx, metav1.ListOptions{})
	requireNoError(t, err)
	for m, err := range list.Items() {
		requireNoError(t, err)
		requireEqual(t, m.Labels["kind"], "bird")
	}
}

func afterMapper(t *testing.T, _ *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	mapper := discovery.NewMapper(discovery.NewClient(client))
	found, err := mapper.ForKind(ctx, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	requireNoError(t, err)
	requireEqual(t, found.Resource, "widgets")
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
	requireNoError(t, err)
	requireEqual(t, apitest.Get(t, srv, newParrot("")).Data["word"], "hello")
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
	requireNoError(t, <-ended)
}

func afterWatch(t *testing.T, srv *apitest.Server, client *rest.Client) {
	ctx := t.Context()
	view := rest.NewView[*ConfigMap](client, configMaps)
	w, err := view.Namespace("shop").Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=parrot"})
	requireNoError(t, err)
	defer w.Stop()
	apitest.Modify(t, srv, newParrot(""), func(m *ConfigMap) { m.Data["word"] = "hello" })
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
	client, err := rest.New(srv.Config()) // pass this real client to your code
	requireNoError(t, err)
	defer client.Close()
	_, err = rest.NewView[*ConfigMap](client, configMaps).Namespace("shop").Get(t.Context(), "parrot", metav1.GetOptions{})
	requireNoError(t, err)
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
	requireNoError(t, err)
	if !slices.Equal(names, []string{"parrot"}) {
		t.Errorf("%v", names)
	}
}
