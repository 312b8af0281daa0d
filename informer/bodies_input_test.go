package informer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// Invalid arguments of ForBodies are errors of the first read and of Start, never panics.
func TestInvalidArgumentsOfForBodies(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		view := rest.NewView[*Secret](y.client, secrets)
		check := func(b *informer.Bodies[*Secret], want error) {
			t.Helper()
			defer b.Release()
			_, ok, err := b.Get(y.ctx, "shop/a")
			require.ErrorIs(t, err, want)
			require.False(t, ok)
			_, _, _, err = b.Read(y.ctx, "shop/a")
			require.ErrorIs(t, err, want)
			require.False(t, b.State().Synced)
			require.Empty(t, keysOf(b))
		}
		check(informer.ForBodies(nil, view, informer.BodyOptions[*Secret]{}), informer.ErrNoFactory)
		check(informer.ForBodies[*Secret](nil, nil, informer.BodyOptions[*Secret]{}), informer.ErrNoFactory)
		other := informer.NewFactory(informer.FactoryOptions{})
		withoutView := informer.ForBodies[*Secret](other, nil, informer.BodyOptions[*Secret]{})
		require.EqualError(t, other.Start(y.ctx), "informer: the ListerWatcher is nil: ForBodies was called with a nil *rest.View[*informer_test.Secret]")
		require.Equal(t, "*informer_test.Secret (metadata)", withoutView.State().Name)
		check(withoutView, informer.ErrNoSource)
		require.NoError(t, other.Shutdown())
		check(informer.ForBodies(y.factory, rest.NewView[*Secret](nil, secrets), informer.BodyOptions[*Secret]{}), rest.ErrNoClient)
		notStarted := informer.ForBodies(y.factory, view, informer.BodyOptions[*Secret]{})
		_, _, err := notStarted.Get(y.ctx, "shop/a")
		require.EqualError(t, err, "secrets (metadata): waiting for the first list: informer: not running: start the factory that was passed to ForBodies")
		check(notStarted, informer.ErrNotRunning)

		invalid := informer.ForBodies(y.factory, rest.NewView[rest.Object](y.client, secrets), informer.BodyOptions[rest.Object]{})
		_, _, err = invalid.Get(y.ctx, "shop/a")
		require.ErrorIs(t, err, informer.ErrNotStruct)
		require.ErrorContains(t, y.factory.Start(y.ctx), "secrets")
		invalid.Release()

		noContext := informer.ForBodies(y.factory, view, informer.BodyOptions[*Secret]{})
		//lint:ignore SA1012 the invalid argument under test
		_, _, err = noContext.Get(nil, "shop/a")
		require.ErrorIs(t, err, informer.ErrNoContext)
		require.NoError(t, y.factory.Shutdown())
		check(informer.ForBodies(y.factory, view, informer.BodyOptions[*Secret]{}), informer.ErrStopped)
	})
}

// A key that no object can have, because it has no namespace or more than two parts, is an
// error. A key that no object has is absent. Neither causes a request.
func TestKeysOfAnotherForm(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		for _, key := range []string{"", "/", "a", "shop", "shop/", "/a", "shop/a/b", "shop/a/", "../shop/a"} {
			_, ok, err := y.bodies.Get(y.ctx, key)
			require.ErrorIs(t, err, indexer.ErrBadKey, key)
			require.False(t, ok, key)
		}
		_, _, err := y.bodies.Get(y.ctx, "a")
		require.EqualError(t, err, `read secrets: "a" is not the key of an object: the resource is namespaced, so use "namespace/name"`)
		for _, key := range []string{"shop/d", "shop/%61", "SHOP/A"} {
			_, ok, err := y.bodies.Get(y.ctx, key)
			require.NoError(t, err)
			require.False(t, ok, key)
		}
		require.Zero(t, y.requests())
	})
}

// The key of an object of a cluster-scoped resource is its name.
func TestBodiesOfClusterScopedObjects(t *testing.T) {
	withFactory(t, informer.FactoryOptions{Namespace: "shop"}, func(y *factoryFixture) {
		apitest.Create(t, y.server, &slimNode{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, SlimMeta: rest.SlimMeta{Name: "n1"}})
		bodies := informer.ForBodies(y.factory, rest.NewView[*slimNode](y.client, nodes), informer.BodyOptions[*slimNode]{})
		y.start()
		node, ok, err := bodies.Get(y.ctx, "n1")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, "n1", node.Name)
		_, _, err = bodies.Get(y.ctx, "shop/n1")
		require.EqualError(t, err, `read nodes: "shop/n1" is not the key of an object: the resource is cluster-scoped, so use "name"`)
	})
}

type slimNode struct {
	metav1.TypeMeta `json:",inline"`
	rest.SlimMeta   `json:"metadata"`
}

// A server that does not serve the metadata alone, as extension API servers may, is named
// as the reason. The informer recovers when it does.
func TestBodiesOfServerWithoutMetadata(t *testing.T) {
	withFactory(t, informer.FactoryOptions{Logger: slog.New(slog.DiscardHandler)}, func(y *factoryFixture) {
		refused := y.server.Fault(apitest.Fault{Match: apitest.Match{Resource: "secrets"}, Action: apitest.Fail(http.StatusNotAcceptable, 0)})
		b := &bodiesFixture{y, informer.ForBodies(y.factory, rest.NewView[*Secret](y.client, secrets), informer.BodyOptions[*Secret]{})}
		b.createSecret("a", "x")
		require.NoError(t, y.factory.Start(y.ctx))
		ctx, cancel := context.WithTimeout(y.ctx, time.Minute)
		defer cancel()
		_, _, err := b.bodies.Get(ctx, "shop/a")
		require.True(t, apierrors.IsNotAcceptable(err), "%v", err)
		require.ErrorContains(t, err, "the server does not serve the metadata of secrets without the objects: read whole objects")
		var failed *reflector.Error
		require.ErrorAs(t, b.bodies.State().Source.Err, &failed)
		require.Equal(t, reflector.ReasonRefused, failed.Reason)
		refused.Remove()
		require.Equal(t, "x", b.content("a"))
	})
}

// The namespace and the list options restrict the objects.
func TestBodiesOfSelectedObjects(t *testing.T) {
	withFactory(t, informer.FactoryOptions{Namespace: "a"}, func(y *factoryFixture) {
		y.create("a", "web")
		y.create("a", "db")
		y.create("b", "web")
		bodies := informer.ForBodies(y.factory, rest.NewView[*Pod](y.client, pods), informer.BodyOptions[*Pod]{
			TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "app=web" },
		})
		y.start()
		require.Equal(t, "pods -n a -l app=web (metadata)", bodies.State().Name)
		require.Equal(t, []string{"a/web"}, keysOf(bodies))
		for key, want := range map[string]bool{"a/web": true, "a/db": false, "b/web": false} {
			_, ok, err := bodies.Get(y.ctx, key)
			require.NoError(t, err)
			require.Equal(t, want, ok, key)
		}
	})
}

// Metadata without a version cannot say that a body is current: every read requests it.
func TestBodiesOfMetadataWithoutAVersion(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		object := `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","namespace":"shop"},"data":{"key":"aGVsbG8="}}`
		list := `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a","namespace":"shop"}}]}`
		y.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Resource: "secrets"}, Action: apitest.Fail(http.StatusServiceUnavailable, 0)})
		y.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "list", Resource: "secrets"}, Action: apitest.Respond(http.StatusOK, "application/json", list)})
		y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.Respond(http.StatusOK, "application/json", object)})
		b := &bodiesFixture{y, informer.ForBodies(y.factory, rest.NewView[*Secret](y.client, secrets), informer.BodyOptions[*Secret]{})}
		require.NoError(t, y.factory.Start(y.ctx))
		ctx, cancel := context.WithTimeout(y.ctx, time.Hour)
		defer cancel()
		_, ok, err := b.bodies.Get(ctx, "shop/a")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, "hello", b.content("a"))
		require.Equal(t, 2, b.requests())
	})
}

// No error, state, object or log line contains what is in a body or in the annotation of
// kubectl apply, whatever fails.
func TestBodiesDoNotShowTheirContents(t *testing.T) {
	const content = "TOP-SECRET"
	withFactory(t, informer.FactoryOptions{}, func(f *factoryFixture) {
		var log bytes.Buffer
		logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		config := f.server.Config()
		config.Logger = logger
		client, err := rest.New(config)
		require.NoError(t, err)
		defer client.Close()
		factory := informer.NewFactory(informer.FactoryOptions{Logger: logger})
		defer func() { require.NoError(t, factory.Shutdown()) }()
		y := &bodiesFixture{factoryFixture: f}
		apitest.Create(t, y.server, &Secret{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a", Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{
				"kubectl.kubernetes.io/last-applied-configuration": content, "note": "shown",
			}},
			Data: map[string][]byte{"key": []byte(content)},
		})
		y.bodies = informer.ForBodies(factory, rest.NewView[*Secret](client, secrets), informer.BodyOptions[*Secret]{})
		require.NoError(t, factory.Start(y.ctx))
		require.NoError(t, factory.WaitForSync(y.ctx))
		encoded, err := json.Marshal(y.secret("a"))
		require.NoError(t, err)
		base64Content := "VE9QLVNFQ1JFVA"
		require.Contains(t, string(encoded), base64Content)

		shown := func(what string, text string) {
			require.NotContains(t, text, content, what)
			require.NotContains(t, text, base64Content, what)
		}
		for name, action := range map[string]apitest.Action{
			"truncated":         apitest.TruncateJSON(),
			"another kind":      apitest.WrongKind(),
			"unavailable":       apitest.Fail(http.StatusInternalServerError, 0),
			"invalid":           apitest.Respond(http.StatusOK, "application/json", string(encoded[:len(encoded)-1])+`,"data":{"key":["`+content+`"]}}`),
			"data after it":     apitest.Respond(http.StatusOK, "application/json", string(encoded)+content),
			"wrong version":     apitest.Respond(http.StatusOK, "application/json", string(bytes.Replace(encoded, []byte(`"resourceVersion":"`), []byte(`"resourceVersion":"0`), 1))),
			"connection broken": apitest.Break(),
		} {
			y.server.RemoveFaults()
			y.server.Fault(apitest.Fault{Match: getSecrets, Action: action})
			_, _, err := y.bodies.Get(y.ctx, "shop/a")
			if err != nil {
				shown(name, err.Error())
				shown(name, fmt.Sprintf("%+v", errors.Unwrap(err)))
			}
			state, err := json.Marshal(y.bodies.State())
			require.NoError(t, err)
			shown(name, string(state))
		}
		y.server.RemoveFaults()
		require.Equal(t, content, y.content("a"))
		object, ok := y.bodies.Object("shop/a")
		require.True(t, ok)
		text, err := json.Marshal(object)
		require.NoError(t, err)
		shown("object", string(text))
		require.JSONEq(t, fmt.Sprintf(`{"metadata":{"name":"a","namespace":"shop","uid":%q,"resourceVersion":%q,"labels":{"app":"shop"},"annotations":{"note":"shown"}}}`,
			y.secret("a").UID, y.secret("a").ResourceVersion), string(text))
		synctest.Wait()
		shown("log", log.String())
	})
}
