//lint:file-ignore SA1019 The example is about Endpoints, which are deprecated.

package examples

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// A client-go informer behind the proxy prefers protobuf, streams the initial state,
// follows it and receives the rewritten objects, also after a restart of the API server.
func TestRewritingProxyBeforeClientGo(t *testing.T) {
	servers := startPlane(t)
	direct, err := rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	t.Cleanup(direct.Close)
	proxy := startProxy(t, "-kubeconfig", servers.Kubeconfig, "-route", "192.0.2.9")

	web := rest.NewResource[*corev1.Endpoints](direct, infoOf("", "endpoints", "Endpoints")).Namespace("default")
	_, err = web.Create(t.Context(), &corev1.Endpoints{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Subsets:    []corev1.EndpointSubset{{Addresses: []corev1.EndpointAddress{{IP: "10.1.0.4"}, {IP: "10.1.0.5"}}, Ports: []corev1.EndpointPort{{Port: 80}}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	ready := true
	_, err = rest.NewResource[*discoveryv1.EndpointSlice](direct, infoOf("discovery.k8s.io", "endpointslices", "EndpointSlice")).Namespace("default").Create(t.Context(), &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "web"},
		AddressType: discoveryv1.AddressTypeIPv6,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"fd00::4"}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)

	t.Run("informers", func(t *testing.T) {
		config := &clientgo.Config{Host: proxy, ContentConfig: clientgo.ContentConfig{ContentType: protobuf}}
		endpoints := follow(t, config, schema.GroupVersion{Version: "v1"}, "endpoints", &corev1.Endpoints{})
		slices := follow(t, config, discoveryv1.SchemeGroupVersion, "endpointslices", &discoveryv1.EndpointSlice{})
		addresses := func(object any) []corev1.EndpointAddress { return object.(*corev1.Endpoints).Subsets[0].Addresses }
		endpoints.await(t, "default/web", func(object any) bool { return addresses(object)[0].IP == "192.0.2.9" })
		slices.await(t, "default/web", func(object any) bool {
			slice := object.(*discoveryv1.EndpointSlice)
			return slice.AddressType == discoveryv1.AddressTypeIPv4 && slice.Endpoints[0].Addresses[0] == "192.0.2.9"
		})

		patched := func(patch string) (version string) {
			got, err := web.Patch(t.Context(), "web", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			require.NoError(t, err)
			return got.ResourceVersion
		}
		version := patched(`{"metadata":{"labels":{"seen":"yes"}}}`)
		endpoints.await(t, "default/web", func(object any) bool { return object.(*corev1.Endpoints).ResourceVersion == version })
		require.NoError(t, servers.KillAPIServer())
		require.NoError(t, servers.RestartAPIServer(t.Context()))
		version = patched(`{"metadata":{"labels":{"seen":"again"}}}`)
		endpoints.await(t, "default/web", func(object any) bool { return object.(*corev1.Endpoints).ResourceVersion == version })
		require.Empty(t, endpoints.unrouted(func(object any) bool {
			subsets := object.(*corev1.Endpoints).Subsets
			return object.(*corev1.Endpoints).Name == "web" && (len(subsets[0].Addresses) != 1 || subsets[0].Addresses[0].IP != "192.0.2.9")
		}), "a handler has received an object that is not rewritten")
	})
	t.Run("metadata client", func(t *testing.T) {
		client, err := metadata.NewForConfig(&clientgo.Config{Host: proxy})
		require.NoError(t, err)
		got, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}).Namespace("default").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, "web", got.Name)
	})
	t.Run("errors", func(t *testing.T) {
		client := restClient(t, &clientgo.Config{Host: proxy}, schema.GroupVersion{Version: "v1"})
		one := func(verb string) *clientgo.Request {
			return client.Verb(verb).Namespace("default").Resource("endpoints").Name("web")
		}
		err := one("PUT").Body(&corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Name: "web"}}).Do(t.Context()).Error()
		require.True(t, apierrors.IsMethodNotSupported(err), "%v", err)
		err = one("GET").SetHeader("Accept", protobuf).Do(t.Context()).Error()
		require.True(t, apierrors.IsNotAcceptable(err), "%v", err)
		err = one("GET").SetHeader("Impersonate-User", "root").Do(t.Context()).Error()
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		require.NoError(t, servers.KillAPIServer())
		err = one("GET").Do(t.Context()).Error()
		require.True(t, apierrors.IsServiceUnavailable(err), "%v", err)
		require.NoError(t, servers.RestartAPIServer(t.Context()))
	})
	t.Run("kubectl", func(t *testing.T) {
		kubectl := func(args ...string) string {
			command := exec.CommandContext(t.Context(), servers.Binaries.Kubectl, append([]string{"--server", proxy}, args...)...)
			command.Env = []string{"HOME=" + t.TempDir(), "KUBECONFIG=/dev/null"}
			out, err := command.CombinedOutput()
			if err != nil {
				return string(out) + err.Error()
			}
			return string(out)
		}
		plain := kubectl("get", "endpoints", "web")
		require.Regexp(t, `(?m)^NAME +AGE\nweb +\d+`, plain)
		require.Contains(t, kubectl("get", "endpoints", "web", "-o", "jsonpath={.subsets[*].addresses[*].ip}"), "192.0.2.9")
		require.Contains(t, kubectl("get", "endpoints,endpointslices", "-A", "-o", "yaml"), "192.0.2.9")
		require.Regexp(t, `(?m)^NAME +STATUS +AGE\n`, kubectl("get", "namespaces"), "a resource without a rule is a Table")
		require.Contains(t, kubectl("label", "endpoints", "web", "a=b"), "the proxy rewrites endpoints: change them at the API server")
		require.NotContains(t, kubectl("get", "endpoints,endpointslices", "-A", "-o", "json"), "10.1.0.")
	})
}

// With -clients-credentials the API server authorizes the clients.
func TestRewritingProxyWithClientsCredentials(t *testing.T) {
	servers := startPlane(t)
	proxy := startProxy(t, "-kubeconfig", servers.Kubeconfig, "-clients-credentials")
	for token, want := range map[string]int{servers.Tokens[plane.Admin]: 200, "nonsense": 401} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", proxy+"/api/v1/endpoints", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		transport := new(http.Transport)
		response, err := transport.RoundTrip(request)
		require.NoError(t, err)
		response.Body.Close()
		transport.CloseIdleConnections()
		require.Equal(t, want, response.StatusCode)
	}
}

// The program shows the chunks and the DATA frames of a real server.
func TestChunkedAtTheRealServer(t *testing.T) {
	servers := startPlane(t)
	for flag, want := range map[string]string{"-http2=false": `"0\r\n", then nothing: the end of the body`, "-http2": "events in"} {
		out, err := exec.CommandContext(t.Context(), program(t, "chunked"), flag, "-kubeconfig", servers.Kubeconfig).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), want)
		require.Contains(t, string(out), "event 5: DELETED chunked-first")
		require.NotContains(t, string(out), servers.Tokens[plane.Admin])
	}
}

// The roles of the examples have the required permissions and no others.
func TestRolesSuffice(t *testing.T) {
	servers := startPlane(t)

	startProxy(t, "-kubeconfig", servers.Kubeconfig, "-install")
	proxy := startProxy(t, "-kubeconfig", asServiceAccount(t, servers, "rewriting-proxy", "", "endpoints"))
	client := restClient(t, &clientgo.Config{Host: proxy}, schema.GroupVersion{Version: "v1"})
	require.NoError(t, client.Get().Resource("endpoints").Do(t.Context()).Error())
	watch, err := client.Get().Resource("endpoints").Param("watch", "true").Watch(t.Context())
	require.NoError(t, err)
	watch.Stop()
	err = client.Get().Resource("secrets").Do(t.Context()).Error()
	require.True(t, apierrors.IsForbidden(err), "%v", err)

	chunked := program(t, "chunked")
	out, err := exec.CommandContext(t.Context(), chunked, "-kubeconfig", servers.Kubeconfig, "-install").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.CommandContext(t.Context(), chunked, "-kubeconfig", asServiceAccount(t, servers, "chunked", "", "configmaps")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "event 5: DELETED chunked-first")
}

func infoOf(group, resource, kind string) rest.ResourceInfo {
	return rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}, Kind: kind, Namespaced: true}
}

// program builds an example.
func program(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, "github.com/thinformer/thinformer/examples/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// untilRead runs its arguments until its input ends. The input of a test ends with the
// test.
const untilRead = `"$@" & read -r nothing; kill $!; wait $!`

// startProxy starts the proxy and returns its URL.
func startProxy(t *testing.T, args ...string) (url string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-c", untilRead, "sh", program(t, "rewriting-proxy"), "-address", "127.0.0.1:0"}, args...)...)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(output)
	var drained sync.WaitGroup
	t.Cleanup(func() {
		input.Close()
		drained.Wait()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the proxy: %v", err)
		}
	})
	for lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), "rewriting at "); found {
			url, _, _ = strings.Cut(after, ",")
			drained.Go(func() {
				for lines.Scan() {
					t.Log(lines.Text())
				}
			})
			return url
		}
	}
	t.Fatal("the proxy has not printed its address")
	return ""
}

func restClient(t *testing.T, config *clientgo.Config, version schema.GroupVersion) *clientgo.RESTClient {
	t.Helper()
	own := clientgo.CopyConfig(config)
	own.APIPath, own.GroupVersion, own.NegotiatedSerializer = "/apis", &version, scheme.Codecs.WithoutConversion()
	if version.Group == "" {
		own.APIPath = "/api"
	}
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	own.Transport = transport
	client, err := clientgo.RESTClientFor(own)
	require.NoError(t, err)
	return client
}

// followed is an informer of client-go that runs until the test ends, and the objects that
// its handler has received.
type followed struct {
	cache.SharedIndexInformer
	mu    sync.Mutex
	shown []any
}

func follow(t *testing.T, config *clientgo.Config, version schema.GroupVersion, resource string, example runtime.Object) *followed {
	t.Helper()
	source := cache.NewListWatchFromClient(restClient(t, config, version), resource, metav1.NamespaceAll, fields.Everything())
	f := &followed{SharedIndexInformer: cache.NewSharedIndexInformer(source, example, 0, cache.Indexers{})}
	show := func(object any) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.shown = append(f.shown, object)
	}
	_, err := f.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: show, UpdateFunc: func(_, object any) { show(object) }})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { f.RunWithContext(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	require.True(t, cache.WaitForCacheSync(ctx.Done(), f.HasSynced))
	return f
}

// await waits until an object meets a condition.
func (f *followed) await(t *testing.T, key string, as func(any) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		object, exists, err := f.GetStore().GetByKey(key)
		return err == nil && exists && as(object)
	}, time.Minute, 20*time.Millisecond)
}

func (f *followed) unrouted(wrong func(any) bool) (found []any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, object := range f.shown {
		if wrong(object) {
			found = append(found, object)
		}
	}
	return found
}
