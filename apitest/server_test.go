package apitest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

var configMaps = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true}

func TestServerOnEachTransport(t *testing.T) {
	for name, options := range map[string]Options{
		"with TLS": {}, "plain": {PlainHTTP: true}, "in memory": {InMemory: true},
	} {
		t.Run(name, func(t *testing.T) {
			options.Resources = []Resource{{ResourceInfo: configMaps}}
			srv := NewServer(options)
			defer srv.Close()
			client, err := rest.New(srv.Config())
			require.NoError(t, err)
			defer client.Close()
			_, err = rest.NewView[*metav1.PartialObjectMetadata](client, configMaps).Namespace("default").Get(context.Background(), "absent", metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}

// The URL and the certificate of Config are valid for any address.
func TestConfigForEachAddress(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	for _, address := range []string{"", ":0", "0.0.0.0:0", "localhost:0", host + ":0"} {
		t.Run(address, func(t *testing.T) {
			if _, err := net.ResolveTCPAddr("tcp", address); err != nil {
				t.Skipf("the host name of this machine cannot be resolved: %v", err)
			}
			srv := NewServer(Options{Address: address, NoBuiltinKinds: true})
			defer srv.Close()
			for range 2 {
				response, _, err := get(t, srv, srv.testClient(t), "/healthz")
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, response.StatusCode)
				srv.RotateCertificate()
				srv.Restart()
			}
		})
	}
}

// A server that listens on all addresses can be reached with TLS at each of
// them.
func TestCertificateIsValidForAllAddresses(t *testing.T) {
	srv := NewServer(Options{Address: ":0", NoBuiltinKinds: true})
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(srv.Config().TLS.CAData)
	addresses, err := net.InterfaceAddrs()
	require.NoError(t, err)
	conn, err := tls.Dial("tcp", strings.TrimPrefix(srv.URL, "https://"), &tls.Config{RootCAs: roots})
	require.NoError(t, err)
	defer conn.Close()
	for _, address := range addresses {
		require.NoError(t, conn.ConnectionState().PeerCertificates[0].VerifyHostname(address.(*net.IPNet).IP.String()))
	}
}

// A server that cannot listen reports the address and the reason.
func TestServerThatCannotListen(t *testing.T) {
	taken := NewServer(Options{NoBuiltinKinds: true})
	defer taken.Close()
	for address, reason := range map[string]string{
		"127.0.0.1":       "missing port in address",
		"127.0.0.1:99999": "invalid port",
		"256.0.0.1:0":     "256.0.0.1",
		strings.TrimPrefix(taken.URL, "https://"): "address already in use",
	} {
		for _, plain := range []bool{false, true} {
			func() {
				defer func() {
					err, _ := recover().(error)
					require.ErrorContains(t, err, "apitest: start a server: listen tcp")
					require.ErrorContains(t, err, reason)
				}()
				NewServer(Options{Address: address, PlainHTTP: plain}).Close()
			}()
		}
	}
}

// Close waits for requests that are being served: no hook runs after it.
func TestCloseWaitsForRequests(t *testing.T) {
	for name, options := range map[string]Options{"with TLS": {}, "plain": {PlainHTTP: true}, "in memory": {InMemory: true}} {
		t.Run(name, func(t *testing.T) {
			entered, release := make(chan struct{}), make(chan struct{})
			var ended atomic.Bool
			options.Authorize = func(Attributes) (bool, string) {
				close(entered)
				<-release
				ended.Store(true)
				return true, ""
			}
			srv := NewServer(options)
			client := srv.testClient(t)
			asked := make(chan error)
			go func() {
				response, err := client.Get(srv.URL + "/healthz")
				if err == nil {
					response.Body.Close()
				}
				asked <- err
			}()
			<-entered
			time.AfterFunc(20*time.Millisecond, func() { close(release) })
			srv.Close()
			require.True(t, ended.Load())
			require.Error(t, <-asked)
			srv.Close() // a second Close does nothing
			require.Panics(t, func() { serveRequest(srv, http.MethodGet, "/healthz") }, "a mounted server aborts the connection")
		})
	}
}

// A panic in a watch is logged, and its client does not see a normal end.
func TestPanicInAWatch(t *testing.T) {
	var logged bytes.Buffer
	srv := NewServer(Options{InMemory: true, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	srv.Fault(Fault{Action: AfterEvents(1, Call("panic", func(*Server) { panic("no!") }))})
	response, err := srv.testClient(t).Get(srv.URL + "/api/v1/namespaces?watch=true")
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	srv.Close()
	require.Contains(t, logged.String(), "no!")
}

// A resource that no path can name, or that no object can have, is rejected.
func TestRegisterRejectsInvalidResources(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	defer srv.Close()
	for _, test := range []struct{ group, version, resource, kind, listKind, want string }{
		{"", "", "widgets", "Widget", "", "needs a version, a plural name and a kind"},
		{"a/b", "v1", "widgets", "Widget", "", `invalid group "a/b"`},
		{"", "..", "widgets", "Widget", "", `invalid version ".."`},
		{"", "v1", "widgets/status", "Widget", "", `invalid plural name "widgets/status"`},
		{"", "v1", "Widgets", "Widget", "", `invalid plural name "Widgets"`},
		{"", "v1", "widgets", "\x00", "", `invalid kind "\x00"`},
		{"", "v1", "widgets", "Widget", "A B", `invalid kind of lists "A B"`},
		{"example.com", "v1beta1", "widgets", "Widget", "WidgetList", ""},
	} {
		resource := Resource{ListKind: test.listKind}
		resource.GroupVersionResource, resource.Kind = schema.GroupVersionResource{Group: test.group, Version: test.version, Resource: test.resource}, test.kind
		if err := srv.Register(resource); test.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.want)
		}
	}
	require.Panics(t, func() { NewServer(Options{InMemory: true, Resources: []Resource{{}}}) })
}

// The default limit of bodies applies unless it is positive. The largest number
// means no limit.
func TestBoundsOfBodies(t *testing.T) {
	require.EqualValues(t, 3<<20, new(Options).maxRequestBytes())
	require.EqualValues(t, 3<<20, (&Options{MaxRequestBytes: -1}).maxRequestBytes())
	require.Positive(t, (&Options{MaxRequestBytes: 1<<63 - 1}).maxRequestBytes()+1)
	require.EqualValues(t, 100, (&Options{MaxRequestBytes: 100}).maxRequestBytes())
}
