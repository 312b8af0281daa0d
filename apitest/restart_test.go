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

	"github.com/thinformer/thinformer/rest"
)

func dialTLS(srv *Server) (net.Conn, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(srv.tls.authority)
	return tls.Dial("tcp", srv.door.address, &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}})
}

// A stopped server refuses; it is started at the same address with what it had.
func TestStopAndStart(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		srv.Stop()
		srv.Stop() // stopping twice is once
		_, _, err := get(t, srv, client, oneConfigMap)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		srv.Start()
		response, _, err := get(t, srv, client, oneConfigMap)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
	})
}

// The port stays the server's own while it is stopped: whoever asks for any free
// one gets others.
func TestStoppedServerKeepsItsPort(t *testing.T) {
	srv := NewServer(Options{Plain: true, Bare: true})
	srv.Stop()
	require.NotNil(t, srv.door.held)
	_, err := dialed(srv)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	srv.Start()
	require.Nil(t, srv.door.held)
	_, _, err = get(t, srv, srv.testClient(t), "/healthz")
	require.NoError(t, err)
	srv.Stop()
	srv.Close()
	require.Nil(t, srv.door.held)
	again, err := net.Listen("tcp", srv.door.address)
	require.NoError(t, err, "a closed server has given it up")
	again.Close()
}

// A fault that refuses and a Stop both keep the server shut.
func TestStopDuringARefusal(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Bare: true})
	defer srv.Close()
	fault := srv.Fault(Fault{Times: 1, Do: Refuse(0)})
	get(t, srv, srv.testClient(t), "/healthz")
	srv.Stop()
	fault.Lift()
	_, err := dialed(srv)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	srv.Start()
	_, _, err = get(t, srv, srv.testClient(t), "/healthz")
	require.NoError(t, err)
}

// Closed for good: nothing opens it again.
func TestStartAfterClose(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Bare: true})
	srv.Stop()
	srv.Close()
	srv.Start()
	_, err := dialed(srv)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

// A restart ends watches; they resume, for the store was kept.
func TestRestart(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		client := srv.testClient(t)
		w := openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true")
		first, err := w.next()
		require.NoError(t, err)
		srv.Restart()
		_, err = w.next()
		require.Error(t, err)
		put(t, srv.store.table(configMaps.GroupResource()), key{"default", "b"}, "1", nil)
		w = openWatch(t, context.Background(), srv, client, "/api/v1/configmaps?watch=true&resourceVersion="+first.Object.Metadata.ResourceVersion)
		e, err := w.next()
		require.NoError(t, err)
		require.Equal(t, "b", e.Object.Metadata.Name)
	})
}

// Set back, the server knows nothing of what came since, and gives the same
// versions out again.
func TestRestartBack(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		table := srv.store.table(configMaps.GroupResource())
		before := srv.store.current()
		lost := put(t, table, key{"default", "b"}, "1", nil)
		put(t, table, key{"default", "a"}, "2", nil)
		srv.RestartBack(2)
		require.Equal(t, before, srv.store.current())
		require.Nil(t, table.get(key{"default", "b"}))
		_, body, err := get(t, srv, srv.testClient(t), oneConfigMap)
		require.NoError(t, err)
		require.True(t, strings.Contains(body, `"value":"1"`), body)
		again := put(t, table, key{"default", "c"}, "1", nil)
		require.Equal(t, lost.version, again.version)
	})
}

// Further back than the history goes is as far as it goes.
func TestRestartBackBeyondTheHistory(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Bare: true, Resources: []Resource{{ResourceInfo: configMaps}}})
	defer srv.Close()
	table := srv.store.table(configMaps.GroupResource())
	put(t, table, key{"default", "a"}, "1", nil)
	srv.Compact()
	compacted := srv.store.current()
	put(t, table, key{"default", "a"}, "2", nil)
	srv.RestartBack(1 << 40)
	require.Equal(t, compacted, srv.store.current())
}

// A custom resource that has ended since stays ended: what it held is gone, and
// a definition that were back without it could be listed and never watched.
func TestRestartBackStopsAtTheEndOfAResource(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	define(t, srv, fooDefinition)
	definitions := srv.store.table(definitionsResource)
	_, err := definitions.remove(definitions.get(key{name: "foos.example.com"}))
	require.NoError(t, err)
	require.NoError(t, srv.settle())
	ended := srv.store.current()
	put(t, srv.store.table(configMaps.GroupResource()), key{"default", "a"}, "1", nil)
	srv.RestartBack(1 << 40)
	require.Equal(t, ended, srv.store.current())
	require.Nil(t, definitions.get(key{name: "foos.example.com"}))
}

// However far it goes back, the first namespaces are there, as kube-apiserver
// makes them when it starts.
func TestRestartBackToTheBeginning(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	before := srv.store.current()
	put(t, srv.store.table(configMaps.GroupResource()), key{"default", "a"}, "1", nil)
	srv.RestartBack(1 << 40)
	require.Equal(t, before, srv.store.current())
	require.Nil(t, srv.store.table(configMaps.GroupResource()).get(key{"default", "a"}))
	benchCreate(t, srv.testClient(t), srv.URL+benchConfigMaps, benchConfigMap("b"))
}

// A rotated certificate is shown to those who connect; it is of the same
// authority, and who is connected keeps what he has.
func TestRotateCertificate(t *testing.T) {
	srv := NewServer(Options{Bare: true})
	defer srv.Close()
	serial := func() string {
		conn, err := dialTLS(srv)
		require.NoError(t, err)
		defer conn.Close()
		return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	before := serial()
	require.Equal(t, before, serial())
	srv.Fault(Fault{Do: Call("rotate the certificate", (*Server).RotateCertificate)})
	client := srv.testClient(t)
	for range 2 {
		_, _, err := get(t, srv, client, "/healthz")
		require.NoError(t, err)
	}
	require.NotEqual(t, before, serial())
}

// A compaction in the middle: who is behind gets 410.
func TestCompactNow(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		put(t, srv.store.table(configMaps.GroupResource()), key{"default", "b"}, "1", nil)
		srv.Fault(Fault{On: Match{Verb: "watch"}, Times: 1, Do: Call("compact", (*Server).Compact)})
		w := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true&resourceVersion=2")
		e, err := w.next()
		require.NoError(t, err)
		require.Equal(t, "ERROR", e.Type)
		require.Equal(t, 410, e.Object.Code)
		_, err = w.next()
		require.ErrorIs(t, err, io.EOF)
	})
}

// A token that has expired is answered 401, from the request on that the fault
// is about; our client reads its file again then.
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
	srv.Fault(Fault{Nth: 2, Do: Call("expire the token", func(s *Server) { s.ExpireToken("old") })})
	require.True(t, apierrors.IsNotFound(read()))
	require.True(t, apierrors.IsUnauthorized(read()))
	require.NoError(t, os.WriteFile(file, []byte("new"), 0o600))
	require.True(t, apierrors.IsNotFound(read()))
	require.Len(t, srv.Requests(Match{Where: func(r Request) bool { return r.Code == 404 && r.User.Name == "me" }}), 3)
	for _, r := range srv.Requests(Match{Where: func(r Request) bool { return r.Code == 401 }}) {
		require.Empty(t, r.User.Name, "nobody knows who that was")
	}
}
