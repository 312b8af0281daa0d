package apitest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// listed contains the parts of a list that these tests inspect.
type listed struct {
	Kind     string
	Metadata metav1.ListMeta
	Items    []metav1.PartialObjectMetadata
	Status   string
	Code     int
	Reason   metav1.StatusReason
	Message  string
}

func (l listed) names() (names []string) {
	for _, item := range l.Items {
		names = append(names, item.Namespace+"/"+item.Name)
	}
	return names
}

// ask sends one request without a connection.
func ask(t testing.TB, srv *Server, path string) listed {
	t.Helper()
	recorder := httptest.NewRecorder()
	srv.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	var l listed
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &l), "%s", recorder.Body)
	return l
}

func listServer(t testing.TB, options Options) (*Server, *storage.Table) {
	options.NoBuiltinKinds, options.InMemory = true, true
	options.Resources = append(options.Resources, Resource{ResourceInfo: configMaps})
	srv := NewServer(options)
	t.Cleanup(srv.Close)
	return srv, srv.store.Table(configMaps.GroupResource())
}

const allConfigMaps = "/api/v1/configmaps"

// A list is in order of namespace and name, for one namespace and for all.
func TestListsAreInOrder(t *testing.T) {
	srv, table := listServer(t, Options{})
	require.Equal(t, []string(nil), ask(t, srv, allConfigMaps).names())
	for _, k := range []storage.Key{{Namespace: "b", Name: "x"}, {Namespace: "a", Name: "y"}, {Namespace: "a", Name: "x"}, {Namespace: "a-b", Name: "x"}} {
		put(t, table, k, "1", nil)
	}
	whole := ask(t, srv, allConfigMaps)
	require.Equal(t, "ConfigMapList", whole.Kind)
	require.Equal(t, []string{"a-b/x", "a/x", "a/y", "b/x"}, whole.names())
	require.Equal(t, []string{"a/x", "a/y"}, ask(t, srv, "/api/v1/namespaces/a/configmaps").names())
	require.Equal(t, []string{"a/x"}, ask(t, srv, "/api/v1/namespaces/a/configmaps?fieldSelector=metadata.name=x").names())
	require.Equal(t, []string{"a-b/x", "a/x", "b/x"}, ask(t, srv, allConfigMaps+"?fieldSelector=metadata.name=x").names())
}

// Pages are of one version, even if objects change in the meantime (API
// concepts: retrieving large result sets in chunks).
func TestPagesAreOfOneVersion(t *testing.T) {
	srv, table := listServer(t, Options{})
	for i := range 7 {
		put(t, table, storage.Key{Namespace: fmt.Sprint("n", i%2), Name: fmt.Sprint("x", i)}, "1", nil)
	}
	whole := ask(t, srv, allConfigMaps)
	var names []string
	next := ""
	for page := 0; ; page++ {
		l := ask(t, srv, allConfigMaps+"?limit=2&continue="+url.QueryEscape(next))
		require.Equal(t, whole.Metadata.ResourceVersion, l.Metadata.ResourceVersion)
		names = append(names, l.names()...)
		put(t, table, storage.Key{Namespace: "n1", Name: fmt.Sprint("later", page)}, "1", nil)
		if next = l.Metadata.Continue; next == "" {
			require.Nil(t, l.Metadata.RemainingItemCount)
			break
		}
		require.EqualValues(t, 7-len(names), *l.Metadata.RemainingItemCount)
	}
	require.Equal(t, whole.names(), names)
}

// With selectors, the remaining count is omitted.
func TestRemainingIsNotCountedWithSelectors(t *testing.T) {
	srv, table := listServer(t, Options{})
	for _, name := range []string{"a", "b", "c"} {
		put(t, table, storage.Key{Namespace: "n", Name: name}, "1", nil)
	}
	l := ask(t, srv, allConfigMaps+"?limit=1&fieldSelector=metadata.name!=a")
	require.Equal(t, []string{"n/b"}, l.names())
	require.NotEmpty(t, l.Metadata.Continue)
	require.Nil(t, l.Metadata.RemainingItemCount)
}

// A client whose continue token has expired gets a token to continue at the
// newest version.
func TestContinueAfterCompaction(t *testing.T) {
	srv, table := listServer(t, Options{})
	for _, name := range []string{"a", "b", "c"} {
		put(t, table, storage.Key{Namespace: "n", Name: name}, "1", nil)
	}
	first := ask(t, srv, allConfigMaps+"?limit=1")
	put(t, table, storage.Key{Namespace: "n", Name: "bb"}, "1", nil)
	srv.Compact()
	expired := ask(t, srv, allConfigMaps+"?limit=1&continue="+first.Metadata.Continue)
	require.Equal(t, 410, expired.Code)
	require.Equal(t, metav1.StatusReasonExpired, expired.Reason)
	require.NotEmpty(t, expired.Metadata.Continue)
	rest := ask(t, srv, allConfigMaps+"?continue="+expired.Metadata.Continue)
	require.Equal(t, []string{"n/b", "n/bb", "n/c"}, rest.names())
	exact := ask(t, srv, allConfigMaps+"?resourceVersionMatch=Exact&resourceVersion="+first.Metadata.ResourceVersion)
	require.Equal(t, 410, exact.Code)
	require.Equal(t, "The resourceVersion for the provided list is too old.", exact.Message)
}

// The meaning of resourceVersion and resourceVersionMatch (API concepts:
// resource versions, semantics for get and list).
func TestVersionsOfLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, table := listServer(t, Options{})
		first := put(t, table, storage.Key{Namespace: "n", Name: "a"}, "1", nil)
		put(t, table, storage.Key{Namespace: "n", Name: "b"}, "1", nil)
		at := fmt.Sprint("resourceVersion=", first.Version)
		now := fmt.Sprint(srv.store.Current())
		for query, want := range map[string]int{
			"": 2, "resourceVersion=0": 2, "resourceVersion=0&limit=1": 2, at: 2,
			at + "&resourceVersionMatch=NotOlderThan": 2, at + "&resourceVersionMatch=Exact": 1, at + "&limit=5": 1,
			"resourceVersion=0&resourceVersionMatch=NotOlderThan": 2, "limit=-1": 2,
		} {
			l := ask(t, srv, allConfigMaps+"?"+query)
			require.Len(t, l.Items, want, query)
			if want == 2 {
				require.Equal(t, now, l.Metadata.ResourceVersion)
			} else {
				require.Equal(t, fmt.Sprint(first.Version), l.Metadata.ResourceVersion)
			}
		}
		for _, query := range []string{"resourceVersion=99", "resourceVersion=99&resourceVersionMatch=Exact", "resourceVersion=99&limit=1"} {
			began := time.Now()
			l := ask(t, srv, allConfigMaps+"?"+query)
			require.Equal(t, 504, l.Code, query)
			require.Equal(t, "Timeout: Too large resource version: 99, current: "+now, l.Message)
			require.Equal(t, versionWaitTimeout, time.Since(began))
		}
		got := ask(t, srv, "/api/v1/namespaces/n/configmaps/a?resourceVersion=99")
		require.Equal(t, 504, got.Code, "a get waits as well")
	})
}

// Only tokens that the server has issued are valid.
func TestInvalidContinueTokens(t *testing.T) {
	srv, _ := listServer(t, Options{})
	token := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for token, words := range map[string]string{
		"!!":                                  "illegal base64 data at input byte 0",
		token("x"):                            "invalid character 'x' looking for beginning of value",
		token(`{"v":"x","rv":1,"start":"a"}`): "server does not recognize this encoded version x",
		token(`{"v":"meta.k8s.io/v1","rv":0,"start":"a"}`):    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
		token(`{"v":"meta.k8s.io/v1","rv":1}`):                "encoded start key empty (version meta.k8s.io/v1)",
		token(`{"v":"meta.k8s.io/v1","rv":1,"start":"../a"}`): "../a",
	} {
		l := ask(t, srv, allConfigMaps+"?continue="+token)
		require.Equal(t, 400, l.Code)
		require.Equal(t, "invalid continue token: continue key is not valid: "+words, l.Message)
	}
	good := token(`{"v":"meta.k8s.io/v1","rv":1,"start":"/a/b\u0000"}`)
	require.Equal(t, "specifying resource version is not allowed when using continue", ask(t, srv, allConfigMaps+"?resourceVersion=1&continue="+good).Message)
}

func FuzzContinue(f *testing.F) {
	f.Add(base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":-1,"start":"/n/a\u0000"}`)))
	srv, table := listServer(f, Options{})
	for _, name := range []string{"a", "b"} {
		put(f, table, storage.Key{Namespace: "n", Name: name}, "1", nil)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if c, err := params.ParseContinue(token); err == nil {
			c.From("", true)
			c.From("n", true)
		}
		options, err := params.ParseList(url.Values{"continue": {token}, "limit": {"1"}})
		if err != nil {
			require.EqualValues(t, 400, response.StatusOf(err).Code)
			return
		}
		past, err := table.At(0)
		require.NoError(t, err)
		c := &call{server: srv, resource: srv.registry.Find(configMaps.GroupVersionResource)}
		c.page(past, &registry.Selection{}, options)
	})
}

// A list does not block writes while it is sent.
func TestListHoldsNoLock(t *testing.T) {
	srv, table := listServer(t, Options{})
	for i := range 100 {
		put(t, table, storage.Key{Namespace: "n", Name: fmt.Sprint(i)}, strings.Repeat("x", 1000), nil)
	}
	w := &slowResponse{ResponseRecorder: httptest.NewRecorder(), during: func() { put(t, table, storage.Key{Namespace: "n", Name: "late"}, "1", nil) }}
	srv.ServeHTTP(w, httptest.NewRequest(http.MethodGet, allConfigMaps, nil))
	require.NotContains(t, w.Body.String(), `"late"`)
	require.Contains(t, ask(t, srv, allConfigMaps).names(), "n/late")
}

// slowResponse calls a function when the first part is written.
type slowResponse struct {
	*httptest.ResponseRecorder
	during func()
}

func (r *slowResponse) Write(p []byte) (int, error) {
	if r.during != nil {
		r.during()
		r.during = nil
	}
	return r.ResponseRecorder.Write(p)
}

type discardWriter struct{ header http.Header }

func (d discardWriter) Header() http.Header       { return d.header }
func (discardWriter) WriteHeader(int)             {}
func (discardWriter) Write(p []byte) (int, error) { return len(p), nil }

func BenchmarkList50000(b *testing.B) {
	srv, table := listServer(b, Options{})
	for i := range 50_000 {
		put(b, table, storage.Key{Namespace: fmt.Sprint("n", i%50), Name: fmt.Sprint("x", i)}, strings.Repeat("x", 1000), nil)
	}
	for name, query := range map[string]string{"whole": "", "limit 500": "?limit=500", "by label": "?labelSelector=a%3Db", "metadata": ""} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, allConfigMaps+query, nil)
				if name == "metadata" {
					r.Header.Set("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
				}
				srv.ServeHTTP(discardWriter{http.Header{}}, r)
			}
		})
	}
}
