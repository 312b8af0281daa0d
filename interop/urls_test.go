package interop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	clientgo "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/rest"
)

// Code written for client-go's RESTClient compiles with ours, and requests the same URL.
func TestEqualCallsGiveEqualURLs(t *testing.T) {
	options := &metav1.ListOptions{LabelSelector: "app in (a, b),!c", FieldSelector: "spec.nodeName=n", ResourceVersion: "7", ResourceVersionMatch: "NotOlderThan", Limit: 500, Continue: "a+/=", TimeoutSeconds: new(int64), Watch: true, AllowWatchBookmarks: true}
	seconds := 90 * time.Second
	for name, calls := range map[string]struct {
		version schema.GroupVersion
		theirs  func(*clientgo.RESTClient) *clientgo.Request
		ours    func(*rest.RESTClient) *rest.Request
	}{
		"a list": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request { return c.Get().Resource("pods") },
			func(c *rest.RESTClient) *rest.Request { return c.Get().Resource("pods") }},
		"a list of a namespace": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request { return c.Get().Namespace("shop").Resource("pods") },
			func(c *rest.RESTClient) *rest.Request { return c.Get().Namespace("shop").Resource("pods") }},
		"a name": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Get().Namespace("shop").Resource("pods").Name("cart-0")
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Get().Namespace("shop").Resource("pods").Name("cart-0")
			}},
		"a group": {schema.GroupVersion{Group: "apps", Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request { return c.Put().Resource("deployments").Name("cart") },
			func(c *rest.RESTClient) *rest.Request { return c.Put().Resource("deployments").Name("cart") }},
		"a sub-resource": {schema.GroupVersion{Group: "apps", Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Patch(types.MergePatchType).Namespace("shop").Resource("deployments").Name("cart").SubResource("scale")
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Patch(types.MergePatchType).Namespace("shop").Resource("deployments").Name("cart").SubResource("scale")
			}},
		"two sub-resources": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Get().Namespace("shop").Resource("pods").Name("cart-0").SubResource("proxy", "healthz")
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Get().Namespace("shop").Resource("pods").Name("cart-0").SubResource("proxy", "healthz")
			}},
		"a suffix": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Get().Resource("nodes").Name("n").Suffix("a", "b")
			},
			func(c *rest.RESTClient) *rest.Request { return c.Get().Resource("nodes").Name("n").Suffix("a", "b") }},
		"a prefix": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request { return c.Get().Prefix("watch").Resource("pods") },
			func(c *rest.RESTClient) *rest.Request { return c.Get().Prefix("watch").Resource("pods") }},
		"an absolute path": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request { return c.Get().AbsPath("/apis", "apps", "v1") },
			func(c *rest.RESTClient) *rest.Request { return c.Get().AbsPath("/apis", "apps", "v1") }},
		"a path of one piece": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request { return c.Get().AbsPath("/apis/apps/v1/") },
			func(c *rest.RESTClient) *rest.Request { return c.Get().AbsPath("/apis/apps/v1/") }},
		"a URI": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Get().RequestURI("/api/v1/pods?limit=5&b=%20")
			},
			func(c *rest.RESTClient) *rest.Request { return c.Get().RequestURI("/api/v1/pods?limit=5&b=%20") }},
		"a namespace if scoped": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Delete().NamespaceIfScoped("shop", true).Resource("pods").Name("x")
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Delete().NamespaceIfScoped("shop", true).Resource("pods").Name("x")
			}},
		"no namespace if not": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Delete().NamespaceIfScoped("shop", false).Resource("nodes").Name("x")
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Delete().NamespaceIfScoped("shop", false).Resource("nodes").Name("x")
			}},
		"parameters": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Post().Resource("pods").Param("fieldManager", "me & you").Param("dryRun", "All")
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Post().Resource("pods").Param("fieldManager", "me & you").Param("dryRun", "All")
			}},
		"options": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Get().Resource("pods").VersionedParams(options, scheme.ParameterCodec)
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Get().Resource("pods").VersionedParams(options, scheme.ParameterCodec)
			}},
		"options by apimachinery's codec": {schema.GroupVersion{Group: "apps", Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Get().Resource("deployments").VersionedParams(options, scheme.ParameterCodec)
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Get().Resource("deployments").VersionedParams(options, metav1.ParameterCodec)
			}},
		"a timeout": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request { return c.Get().Resource("pods").Timeout(seconds) },
			func(c *rest.RESTClient) *rest.Request { return c.Get().Resource("pods").Timeout(seconds) }},
		"a verb": {schema.GroupVersion{Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Verb("OPTIONS").Resource("pods").SetHeader("A", "b").MaxRetries(2)
			},
			func(c *rest.RESTClient) *rest.Request {
				return c.Verb("OPTIONS").Resource("pods").SetHeader("A", "b").MaxRetries(2)
			}},
		"a colon in a name": {schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"},
			func(c *clientgo.RESTClient) *clientgo.Request {
				return c.Get().Resource("clusterroles").Name("system:node")
			},
			func(c *rest.RESTClient) *rest.Request { return c.Get().Resource("clusterroles").Name("system:node") }},
	} {
		for _, host := range []string{"http://server:8080", "http://server/below/this/"} {
			t.Run(name+" at "+host, func(t *testing.T) {
				client, err := rest.New(&rest.Config{Host: host})
				require.NoError(t, err)
				defer client.Close()

				config := &clientgo.Config{Host: host, APIPath: "/apis"}
				if calls.version.Group == "" {
					config.APIPath = "/api"
				}
				config.GroupVersion, config.NegotiatedSerializer = &calls.version, scheme.Codecs.WithoutConversion()
				theirs, err := clientgo.RESTClientFor(config)
				require.NoError(t, err)

				request := calls.ours(client.GroupVersion(calls.version))
				require.NoError(t, request.Error())
				require.Equal(t, calls.theirs(theirs).URL().String(), request.URL().String())
			})
		}
	}
}

// Both reject names that would leave the path, before a request is sent.
func TestInvalidPathsAreRejectedByBoth(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://server"})
	require.NoError(t, err)
	defer client.Close()
	version := schema.GroupVersion{Version: "v1"}
	config := &clientgo.Config{Host: "http://server", APIPath: "/api"}
	config.GroupVersion, config.NegotiatedSerializer = &version, scheme.Codecs.WithoutConversion()
	theirs, err := clientgo.RESTClientFor(config)
	require.NoError(t, err)
	for _, name := range []string{"", ".", "..", "a/b", "a%2fb", "../x"} {
		require.Error(t, theirs.Get().Resource("pods").Name(name).Do(t.Context()).Error(), name)
		require.Error(t, client.GroupVersion(version).Get().Resource("pods").Name(name).Error(), name)
		require.Error(t, client.GroupVersion(version).Get().Resource("pods").Name("x").SubResource(name).Error(), name)
		if name != "" { // all namespaces
			require.Error(t, client.GroupVersion(version).Get().Namespace(name).Resource("pods").Error(), name)
		}
	}
}
