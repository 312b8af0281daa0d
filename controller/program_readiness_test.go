package controller_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// wrongKind returns the ResourceInfo of config maps with a wrong Kind.
func wrongKind() rest.ResourceInfo {
	info := configMaps
	info.Kind = "Gadget"
	return info
}

// An informer that could not decode objects of its list is not ready. /readyz,
// State and the log show ResourceInfo.Kind and the received kind. The other objects
// are reconciled. The informer is ready again after a list without such objects.
func TestInformerThatLacksObjectsIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		s.create("b")
		factory := informer.NewFactory(informer.FactoryOptions{Logger: s.options.Logger})
		inf := informer.For(factory, rest.NewView[*configMap](s.client, wrongKind()), informer.Options[*configMap]{})
		s.options.Factory = factory
		c := controller.New("maps", controller.Func(doNothing), controller.Options{Logger: quiet})
		controller.For(c, inf)
		s.run(c)
		synctest.Wait()
		require.True(t, inf.HasSynced())
		code, body := s.get("/readyz")
		require.Equal(t, http.StatusServiceUnavailable, code)
		want := `2 objects of the list could not be decoded and are missing from the cache (ResourceInfo.Kind is "Gadget", 0 objects are stored): ` +
			`decode ADDED event of default/a: an object of the kind "ConfigMap" does not fit the kind "Gadget" (ResourceInfo.Kind)`
		require.Contains(t, body, "[-]informer/configmaps failed: "+want)
		waiting := c.State().UnreadyInformers
		require.Len(t, waiting, 1)
		require.True(t, waiting[0].Synced)
		require.Equal(t, "configmaps", waiting[0].Informer)
		require.ErrorContains(t, waiting[0].Reason, want)
		require.Contains(t, s.log.take(), `an object of the kind \"ConfigMap\" does not fit the kind \"Gadget\" (ResourceInfo.Kind)`)
		_, page := s.get("/debug/?format=text")
		require.Contains(t, page, "missing   2 objects of the list, the first because: decode ADDED event of default/a")
		require.Contains(t, page, "missing   objects of configmaps: 2 objects of the list could not be decoded")
		_, page = s.get("/debug/?format=json")
		require.Contains(t, page, `"listUndecodable": 2,`)
		require.Contains(t, page, `"synced": true,
            "error": "2 objects of the list`)

		for _, name := range []string{"a", "b"} {
			apitest.Delete(t, s.srv, &configMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}})
		}
		time.Sleep(2 * time.Minute) // the deletion of an unknown object causes a delayed list
		synctest.Wait()
		code, body = s.get("/readyz?verbose")
		require.Equal(t, http.StatusOK, code, body)
		require.Empty(t, c.State().UnreadyInformers)
		require.NoError(t, s.stopAndWait())
	})
}

type untagged struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Data map[string]string
}

// Run reports failures of informers that waiting does not fix, with a hint, before it
// starts anything.
func TestPermanentFailuresEndRun(t *testing.T) {
	withInfo := func(change func(*rest.ResourceInfo)) func(*testProgram) controller.Informer {
		return func(s *testProgram) controller.Informer {
			info := configMaps
			change(&info)
			return informer.New(rest.NewView[*configMap](s.client, info), informer.Options[*configMap]{})
		}
	}
	for name, c := range map[string]struct {
		informer func(*testProgram) controller.Informer
		want     string
	}{
		"type without json tags": {func(s *testProgram) controller.Informer {
			return informer.New(rest.NewView[*untagged](s.client, configMaps), informer.Options[*untagged]{})
		}, "informer of configmaps: read configmaps: controller_test.untagged cannot be decoded into: it embeds v1.ObjectMeta, which must have the tag `json:\"metadata\"`"},
		"closed client": {func(s *testProgram) controller.Informer {
			closed, err := rest.New(s.srv.Config())
			require.NoError(s.t, err)
			closed.Close()
			return informer.New(rest.NewView[*configMap](closed, configMaps), informer.Options[*configMap]{})
		}, "informer of configmaps: read configmaps: the client is closed: create another one with rest.New"},
		"invalid resource": {withInfo(func(i *rest.ResourceInfo) { i.Resource = "ConfigMap" }),
			`informer of ConfigMap: read ConfigMap: ResourceInfo.Resource is "ConfigMap": it is the plural name in lower case`},
		"empty resource": {withInfo(func(i *rest.ResourceInfo) { i.Resource = "" }), "ResourceInfo.Resource is empty"},
		"empty version":  {withInfo(func(i *rest.ResourceInfo) { i.Version = "" }), `ResourceInfo.Version is empty: it is the version alone, such as "v1"`},
		"invalid selector in TweakListOptions": {func(s *testProgram) controller.Informer {
			return informer.New(rest.NewView[*configMap](s.client, configMaps), informer.Options[*configMap]{
				TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "app in (" },
			})
		}, `the selector does not parse: LabelSelector "app in (": `},
		"invalid selector of the source": {func(s *testProgram) controller.Informer {
			source := listwatch.NewFilteredListWatchFromClient[*configMap](s.client.GroupVersion(configMaps.GroupVersion()), "configmaps", "default",
				func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name" })
			return informer.New(source, informer.Options[*configMap]{})
		}, `informer of configmaps -n default --field-selector metadata.name: the selector does not parse: FieldSelector "metadata.name": `},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestProgram(t, apitest.Options{})
			s.options.Factory, s.options.Informers = nil, []controller.Informer{c.informer(s)}
			err := controller.Run(t.Context(), s.options)
			require.ErrorContains(t, err, "controller: ")
			require.ErrorContains(t, err, c.want)
			require.Empty(t, s.srv.Requests(apitest.Match{}), "Run has started the informer")
			require.Empty(t, s.log.take(), "Run has started the server")
		})
	}
	t.Run("informer of a factory", func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		informer.For(s.factory, rest.NewView[*untagged](s.client, configMaps), informer.Options[*untagged]{})
		require.ErrorContains(t, controller.Run(t.Context(), s.options), "it embeds v1.ObjectMeta")
		require.Empty(t, s.srv.Requests(apitest.Match{}), "Run has started the informer")
		require.False(t, s.maps.State().Running)
	})
	t.Run("controller without Run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newTestProgram(t, apitest.Options{})
			c := controller.New("untagged", controller.Func(doNothing), controller.Options{})
			controller.For(c, informer.New(rest.NewView[*untagged](s.client, configMaps), informer.Options[*untagged]{}))
			require.ErrorContains(t, c.Run(t.Context()), "it embeds v1.ObjectMeta")
		})
	})
}

// SyncTimeout ends Run if the informers do not sync. The error has the reason and a hint
// for each informer. After they have synced it has no effect.
func TestSyncTimeoutEndsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.srv.Fault(apitest.Fault{Action: apitest.Fail(403, 0)})
		s.options.SyncTimeout = 30 * time.Second
		began := time.Now()
		err := controller.Run(t.Context(), s.options, s.newController("maps", doNothing))
		require.Equal(t, 30*time.Second, time.Since(began))
		require.ErrorIs(t, err, controller.ErrSyncTimeout)
		require.ErrorContains(t, err, "controller: the informers did not sync in time, 30s (RunOptions.SyncTimeout): configmaps: watch configmaps: ")
		require.ErrorContains(t, err, `with a Role or ClusterRole (apiGroups: [""], resources: ["configmaps"], verbs: [list, watch])`)
		require.False(t, s.maps.State().Running)
	})
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.options.SyncTimeout = 30 * time.Second
		s.run(s.newController("maps", doNothing))
		time.Sleep(time.Hour)
		require.NoError(t, s.stopAndWait())
	})
	s := newTestProgram(t, apitest.Options{})
	s.options.SyncTimeout = -1
	require.ErrorContains(t, controller.Run(t.Context(), s.options), "RunOptions.SyncTimeout is -1ns, which is negative")
}

// Informers of one resource in different namespaces have different names in logs, errors,
// checks and on the page.
func TestInformersOfTwoNamespacesHaveDifferentNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.srv.Fault(apitest.Fault{Action: apitest.Fail(403, 0)})
		view := rest.NewView[*configMap](s.client, configMaps)
		s.options.Factory, s.options.Informers, s.options.SyncTimeout = nil, nil, 10*time.Second
		for _, source := range []listwatch.ListerWatcher[*configMap]{
			view, view.Namespace("a"), listwatch.Modify(view.Namespace("b"), func(*metav1.ListOptions) {}),
		} {
			s.options.Informers = append(s.options.Informers, informer.New(source, informer.Options[*configMap]{Logger: s.options.Logger}))
		}
		s.run()
		time.Sleep(7 * time.Second)
		_, ready := s.get("/readyz")
		_, page := s.get("/debug/?format=text")
		log := s.log.take()
		err := <-s.ended
		for _, name := range []string{"configmaps", "configmaps -n a", "configmaps -n b"} {
			require.Contains(t, ready, "[-]informer/"+name+" failed: watch "+name+": ")
			require.Contains(t, page, "\n"+name+"\n")
			require.ErrorContains(t, err, name+": watch "+name+": ")
			if name != "configmaps" {
				name = `"` + name + `"`
			}
			require.Contains(t, log, "source="+name+" verb=watch")
			require.Contains(t, log, `msg="An informer has not synced" informer=`+name)
		}
	})
}

// The size of logs, /readyz, pages and errors does not depend on the size of the server's
// messages.
func TestTextsFromTheServerAreTruncated(t *testing.T) {
	long := strings.Repeat("ö", 1<<20)
	digits := strings.Repeat("7", 1<<20)
	for name, respond := range map[string]func(w http.ResponseWriter, watch bool){
		"message of a response": func(w http.ResponseWriter, _ bool) {
			w.WriteHeader(500)
			io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"message":"`+long[:900_000]+`"}`)
		},
		"response that is not a Status": func(w http.ResponseWriter, _ bool) {
			w.WriteHeader(503)
			io.WriteString(w, long)
		},
		"message of an event": func(w http.ResponseWriter, watch bool) {
			if watch {
				io.WriteString(w, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"message":"`+long+`"}}`)
				return
			}
			io.WriteString(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`)
		},
		"versions": func(w http.ResponseWriter, watch bool) {
			if watch {
				io.WriteString(w, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"`+digits+`"}}}`)
				return
			}
			io.WriteString(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"`+digits+`"},"items":[]}`)
		},
		"names and kinds": func(w http.ResponseWriter, watch bool) {
			if watch {
				w.WriteHeader(400)
				return
			}
			io.WriteString(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+
				`{"metadata":{"name":"`+digits+`"}},{"kind":"`+digits+`","metadata":{"name":"a"}},{"metadata":{"name":"b","labels":"`+digits+`"}}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProgram(t, apitest.Options{})
				listener := newPipeListener()
				server := &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					respond(w, r.URL.Query().Has("watch"))
				})}
				served := make(chan error, 1)
				go func() { served <- server.Serve(listener) }()
				client, err := rest.New(&rest.Config{Host: "http://server", Dial: listener.dial})
				require.NoError(t, err)
				s.options.Factory, s.options.SyncTimeout = nil, 20*time.Second
				maps := informer.New(rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{Logger: s.options.Logger})
				s.options.Informers = []controller.Informer{maps}
				c := controller.New("maps", controller.Func(doNothing), controller.Options{Logger: s.options.Logger})
				controller.For(c, maps)
				s.run(c)
				time.Sleep(15 * time.Second)
				const limit = 128 << 10
				for _, path := range []string{"/readyz?verbose", "/debug/?format=text", "/debug/?format=json", "/debug/?informer=configmaps&format=text"} {
					_, body := s.get(path)
					require.LessOrEqual(t, len(body), limit, path)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if err := maps.WaitForSync(ctx); err != nil {
					require.LessOrEqual(t, len(err.Error()), limit)
				}
				cancel()
				time.Sleep(10 * time.Second)
				s.stop()
				if err := <-s.ended; err != nil {
					require.LessOrEqual(t, len(err.Error()), limit)
				}
				require.LessOrEqual(t, len(s.log.take()), limit)
				client.Close()
				require.NoError(t, server.Close())
				<-served
			})
		})
	}
}
