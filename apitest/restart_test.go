package apitest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest/internal/definition"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/rest"
)

func dialTLS(srv *Server) (net.Conn, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(srv.tls.Authority)
	return tls.Dial("tcp", srv.listener.DialAddress(), &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}})
}

// A stopped server refuses connections. It restarts at the same address with
// its objects.
func TestStopAndStart(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		srv.Stop()
		srv.Stop() // a second Stop does nothing
		_, _, err := get(t, srv, client, oneConfigMap)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		srv.Start()
		response, _, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
	})
}

// A server that was stopped listens at the same port again. Close releases the
// port.
func TestServerKeepsItsPortUntilClose(t *testing.T) {
	srv := NewServer(Options{PlainHTTP: true, NoBuiltinKinds: true})
	srv.Stop()
	_, err := dialRaw(srv)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	srv.Start()
	_, _, err = get(t, srv, srv.testClient(t), "/healthz")
	require.NoError(t, err)
	srv.Stop()
	srv.Close()
	again, err := net.Listen("tcp", srv.listener.DialAddress())
	require.NoError(t, err, "Close releases the port")
	again.Close()
}

// The server listens only after both the fault that refuses and the Stop have
// ended.
func TestStopDuringARefusal(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	defer srv.Close()
	fault := srv.Fault(Fault{Times: 1, Action: Refuse(0)})
	get(t, srv, srv.testClient(t), "/healthz")
	srv.Stop()
	fault.Remove()
	_, err := dialRaw(srv)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	srv.Start()
	_, _, err = get(t, srv, srv.testClient(t), "/healthz")
	require.NoError(t, err)
}

// Start does nothing after Close.
func TestStartAfterClose(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	srv.Stop()
	srv.Close()
	srv.Start()
	_, err := dialRaw(srv)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

// A restart ends watches. They can be resumed, since the objects are kept.
func TestRestart(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
		first, err := w.next()
		require.NoError(t, err)
		srv.Restart()
		_, err = w.next()
		require.Error(t, err)
		put(t, srv.store.Table(configMaps.GroupResource()), storage.Key{Namespace: "default", Name: "b"}, "1", nil)
		w = openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true&resourceVersion="+first.Object.Metadata.ResourceVersion)
		e, err := w.next()
		require.NoError(t, err)
		require.Equal(t, "b", e.Object.Metadata.Name)
	})
}

// After RestartFromBackup, later changes are undone, and their versions are assigned
// again.
func TestRestartFromBackup(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		table := srv.store.Table(configMaps.GroupResource())
		before := srv.store.Current()
		lost := put(t, table, storage.Key{Namespace: "default", Name: "b"}, "1", nil)
		put(t, table, storage.Key{Namespace: "default", Name: "a"}, "2", nil)
		srv.RestartFromBackup(2)
		require.Equal(t, before, srv.store.Current())
		require.Nil(t, table.Get(storage.Key{Namespace: "default", Name: "b"}))
		_, body, err := get(t, srv, srv.testClient(t), oneConfigMap)
		require.NoError(t, err)
		require.True(t, strings.Contains(body, `"value":"1"`), body)
		again := put(t, table, storage.Key{Namespace: "default", Name: "c"}, "1", nil)
		require.Equal(t, lost.Version, again.Version)
	})
}

// RestartFromBackup stops at the end of the history.
func TestRestartFromBackupStopsAtTheEndOfTheHistory(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Resources: []Resource{{ResourceInfo: configMaps}}})
	defer srv.Close()
	table := srv.store.Table(configMaps.GroupResource())
	put(t, table, storage.Key{Namespace: "default", Name: "a"}, "1", nil)
	srv.Compact()
	compacted := srv.store.Current()
	put(t, table, storage.Key{Namespace: "default", Name: "a"}, "2", nil)
	srv.RestartFromBackup(1 << 40)
	require.Equal(t, compacted, srv.store.Current())
}

// RestartFromBackup does not restore a deleted definition: its objects are lost, and
// its resource could be listed but never watched.
func TestRestartFromBackupStopsAtDeletedDefinition(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	define(t, srv, fooDefinition)
	definitions := srv.store.Table(definition.GroupResource)
	_, err := definitions.Remove(definitions.Get(storage.Key{Name: "foos.example.com"}))
	require.NoError(t, err)
	require.NoError(t, srv.reconcileDefinitions())
	ended := srv.store.Current()
	put(t, srv.store.Table(configMaps.GroupResource()), storage.Key{Namespace: "default", Name: "a"}, "1", nil)
	srv.RestartFromBackup(1 << 40)
	require.Equal(t, ended, srv.store.Current())
	require.Nil(t, definitions.Get(storage.Key{Name: "foos.example.com"}))
}

// RestartFromBackup to the beginning keeps the initial namespaces, which
// kube-apiserver creates when it starts.
func TestRestartFromBackupKeepsInitialNamespaces(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	before := srv.store.Current()
	put(t, srv.store.Table(configMaps.GroupResource()), storage.Key{Namespace: "default", Name: "a"}, "1", nil)
	srv.RestartFromBackup(1 << 40)
	require.Equal(t, before, srv.store.Current())
	require.Nil(t, srv.store.Table(configMaps.GroupResource()).Get(storage.Key{Namespace: "default", Name: "a"}))
	benchCreate(t, srv.testClient(t), srv.URL+benchConfigMaps, benchConfigMap("b"))
}

// New connections get a rotated certificate of the same authority. Existing
// connections continue.
func TestRotateCertificate(t *testing.T) {
	srv := NewServer(Options{NoBuiltinKinds: true})
	defer srv.Close()
	serial := func() string {
		conn, err := dialTLS(srv)
		require.NoError(t, err)
		defer conn.Close()
		return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	before := serial()
	require.Equal(t, before, serial())
	srv.Fault(Fault{Action: Call("rotate the certificate", (*Server).RotateCertificate)})
	client := srv.testClient(t)
	for range 2 {
		_, _, err := get(t, srv, client, "/healthz")
		require.NoError(t, err)
	}
	require.NotEqual(t, before, serial())
}

// After a compaction, an older watch gets a 410.
func TestWatchFromCompactedVersionGets410(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		put(t, srv.store.Table(configMaps.GroupResource()), storage.Key{Namespace: "default", Name: "b"}, "1", nil)
		srv.Fault(Fault{Match: Match{Verb: "watch"}, Times: 1, Action: Call("compact", (*Server).Compact)})
		w := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true&resourceVersion=2")
		e, err := w.next()
		require.NoError(t, err)
		require.Equal(t, "ERROR", e.Type)
		require.Equal(t, 410, e.Object.Code)
		_, err = w.next()
		require.ErrorIs(t, err, io.EOF)
	})
}

// A request with an expired token gets a 401, beginning with the request that
// triggers the fault. The client of this module then reads its file again.
func TestExpireToken(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Tokens: map[string]User{"old": {Name: "me"}, "new": {Name: "me"}}})
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	config := srv.Config()
	config.BearerToken, config.BearerTokenFile = "", file
	client, err := rest.New(config)
	require.NoError(t, err)
	defer client.Close()
	view := rest.NewView[*metav1.PartialObjectMetadata](client, configMaps).Namespace("default")
	read := func() error {
		_, err := view.Get(context.Background(), "a", metav1.GetOptions{})
		return err
	}
	require.True(t, apierrors.IsNotFound(read()))
	srv.Fault(Fault{Nth: 2, Action: Call("expire the token", func(s *Server) { s.ExpireToken("old") })})
	require.True(t, apierrors.IsNotFound(read()))
	require.True(t, apierrors.IsUnauthorized(read()))
	require.NoError(t, os.WriteFile(file, []byte("new"), 0o600))
	require.True(t, apierrors.IsNotFound(read()))
	require.Len(t, srv.Requests(Match{Filter: func(r Request) bool { return r.Code == 404 && r.User.Name == "me" }}), 3)
	for _, r := range srv.Requests(Match{Filter: func(r Request) bool { return r.Code == 401 }}) {
		require.Empty(t, r.User.Name, "the request has no user")
	}
}
