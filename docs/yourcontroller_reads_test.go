package docs_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// This file has the code of the sections of docs/your-controller.md about other objects.

const published = "websites.example.com/certificate" // the annotation with the version in use

// newCertificates returns a controller that publishes the certificate of each website.
func newCertificates(client *rest.Client, factory *informer.Factory, publish func(name string, certificate []byte) error) *controller.Controller {
	resource := rest.NewResource[*Website](client, websites)
	cache := informer.For(factory, resource, informer.Options[*Website]{})
	secrets := informer.ForBodies(factory, rest.NewView[*Secret](client, secretInfo), informer.BodyOptions[*Secret]{})

	c := controller.New("certificate", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		w, ok, err := controller.Get(ctx, cache, req.String())
		if err != nil || !ok || w.Spec.Secret == "" {
			return controller.Result{}, err
		}
		secret, ok, err := controller.Get(ctx, secrets, w.Namespace+"/"+w.Spec.Secret)
		if err != nil || !ok {
			return controller.Result{}, err // the creation of the Secret queues the key
		}
		if w.Annotations[published] == secret.ResourceVersion {
			return controller.Result{}, nil
		}
		if err := publish(w.Name, secret.Data["tls.crt"]); err != nil {
			return controller.Result{}, err
		}
		changed := informer.Clone(w)
		metav1.SetMetaDataAnnotation(&changed.ObjectMeta, published, secret.ResourceVersion)
		_, err = resource.MergePatch(ctx, w, changed, metav1.PatchOptions{})
		return controller.Result{}, err
	}), controller.Options{})
	controller.NotOwnWrites(controller.For(c, cache)) // section 9
	controller.Reads(c, secrets)
	return c
}

// hasSameTitle reports whether another website has the title of w. The key is queued when
// that may have changed.
func hasSameTitle(ctx context.Context, byTitle *indexer.Index[*Website], w *Website) (bool, error) {
	found, err := controller.Find(ctx, byTitle, w.Spec.Title)
	if err != nil {
		return false, err
	}
	for other := range found {
		if other.UID != w.UID {
			return true, nil
		}
	}
	return false, nil
}

// certificates are the running controller and the calls of its functions.
type certificates struct {
	srv    *apitest.Server
	client *rest.Client

	mu        sync.Mutex
	published []string
	used      []string
}

// withCertificates runs a test with the controller of section 8.
func withCertificates(t *testing.T, test func(*testing.T, *certificates)) {
	synctest.Test(t, func(t *testing.T) {
		r := &certificates{}
		r.srv = apitest.NewServer(apitest.Options{
			InMemory: true, Logger: quiet, Tokens: map[string]apitest.User{"certificates": {Name: "certificates"}},
			Authorize: func(a apitest.Attributes) (bool, string) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.used = append(r.used, strings.TrimSuffix(a.Group+"/"+a.Resource+"/"+a.Subresource, "/")+" "+a.Verb)
				return true, ""
			},
		})
		defer r.srv.Close()
		definition := new(unstructured.Unstructured)
		requireNoError(t, yaml.Unmarshal(crd, &definition.Object))
		apitest.Create(t, r.srv, definition)
		config := r.srv.Config()
		config.BearerToken = "certificates"
		var err error
		r.client, err = rest.New(config)
		requireNoError(t, err)
		defer r.client.Close()
		test(t, r)
	})
}

// run runs the controllers until the returned function is called.
func (r *certificates) run(t *testing.T, factory *informer.Factory, controllers ...*controller.Controller) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true, Logger: quiet}, controllers...)
	}()
	synctest.Wait()
	return func() {
		cancel()
		requireNoError(t, <-ended)
	}
}

// take returns what was published since the last call.
func (r *certificates) take() string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	published := strings.Join(r.published, ", ")
	r.published = nil
	return published
}

func (r *certificates) secret(name, certificate string) *Secret {
	return &Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: name}, Data: map[string][]byte{"tls.crt": []byte(certificate)}}
}

func (r *certificates) website(name, title, secret string) *Website {
	w := &Website{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: name}}
	w.Spec.Title, w.Spec.Secret = title, secret
	return w
}

// The Secret that a website names is published when it is created, when it changes, and
// when the website names another one. No write of the controller causes a reconcile, and
// the rules on the page are those that the controller uses.
func TestWebsitesWithASecret(t *testing.T) {
	withCertificates(t, func(t *testing.T, r *certificates) {
		factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
		c := newCertificates(r.client, factory, func(name string, certificate []byte) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.published = append(r.published, name+" "+string(certificate))
			return nil
		})
		stop := r.run(t, factory, c)
		blog := apitest.Create(t, r.srv, r.website("blog", "Hello", "tls"))
		requireEqual(t, r.take(), "")
		tls := apitest.Create(t, r.srv, r.secret("tls", "first"))
		requireEqual(t, r.take(), "blog first")
		apitest.Modify(t, r.srv, tls, func(s *Secret) { s.Data["tls.crt"] = []byte("second") })
		requireEqual(t, r.take(), "blog second")
		apitest.Create(t, r.srv, r.secret("other", "third"))
		requireEqual(t, r.take(), "")
		apitest.Modify(t, r.srv, blog, func(w *Website) { w.Spec.Secret = "other" })
		requireEqual(t, r.take(), "blog third")
		apitest.Delete(t, r.srv, tls)
		requireEqual(t, r.take(), "")
		if n := c.State().Reconciles; n != 4 { // the creations of blog and tls, and the changes of both
			t.Errorf("%d reconciles, want 4", n)
		}
		stop()
		requireSameRights(t, []byte(page.blocks("yaml")[2]), r.used)
	})
}

// A website finds the others with its title, and is reconciled when one gets that title.
func TestWebsitesWithTheSameTitle(t *testing.T) {
	withCertificates(t, func(t *testing.T, r *certificates) {
		factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
		cache := informer.For(factory, rest.NewView[*Website](r.client, websites), informer.Options[*Website]{})
		byTitle, err := cache.AddIndex("title", func(w *Website) []string { return []string{w.Spec.Title} })
		// ...
		requireNoError(t, err)
		c := controller.New("title", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			w, ok, err := controller.Get(ctx, cache, req.String())
			if err != nil || !ok {
				return controller.Result{}, err
			}
			same, err := hasSameTitle(ctx, byTitle, w)
			r.mu.Lock()
			defer r.mu.Unlock()
			if same {
				r.published = append(r.published, w.Name)
			}
			return controller.Result{}, err
		}), controller.Options{})
		controller.For(c, cache)
		stop := r.run(t, factory, c)
		apitest.Create(t, r.srv, r.website("blog", "Hello", ""))
		requireEqual(t, r.take(), "")
		shop := apitest.Create(t, r.srv, r.website("shop", "Shop", ""))
		requireEqual(t, r.take(), "")
		apitest.Modify(t, r.srv, shop, func(w *Website) { w.Spec.Title = "Hello" })
		if got := r.take(); got != "blog, shop" && got != "shop, blog" {
			t.Errorf("the same title: %q", got)
		}
		stop()
	})
}
