package hint_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/hint"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

var gadgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}

// The hint of a failed connection names its cause: each case is an error of a real
// connection.
func TestHintsForConnectionFailures(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for want, config := range map[string]*rest.Config{
		"the connection was refused: check the address in the config, and that the server is running":                      {Host: closed.URL},
		"the server's certificate is signed by an unknown authority: set the server's certificate-authority in the config": {Host: server.URL},
		"the server's certificate is for another name: use an address that the certificate covers, or set tls-server-name": {Host: server.URL, TLS: rest.TLSConfig{CAData: ca, ServerName: "elsewhere.invalid"}},
	} {
		client, err := rest.New(config)
		require.NoError(t, err)
		list, err := rest.NewView[*rest.SlimMeta](client, rest.ResourceInfo{GroupVersionResource: gadgets, Kind: "Gadget"}).List(t.Context(), metav1.ListOptions{})
		if err == nil {
			for _, err = range list.Items() {
				break
			}
		}
		client.Close()
		require.Error(t, err)
		require.Equal(t, want, hint.For(string(reflector.ReasonUnreachable), err, gadgets), "%v", err)
	}
}

// Each known failure has a hint; other failures have none.
func TestHints(t *testing.T) {
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	for _, c := range []struct {
		reason   reflector.Reason
		err      error
		resource schema.GroupVersionResource
		want     string
	}{
		{reflector.ReasonNotFound, io.EOF, gadgets, "the server does not serve gadgets.example.com in version v1: apply its CustomResourceDefinition"},
		{reflector.ReasonNotFound, io.EOF, configMaps, "the server does not serve configmaps: check the name and the version"},
		{reflector.ReasonForbidden, io.EOF, gadgets, `allow the user named in the error to list and watch gadgets.example.com, with a Role or ClusterRole (apiGroups: ["example.com"], resources: ["gadgets"], verbs: [list, watch])`},
		{reflector.ReasonUnauthorized, io.EOF, gadgets, "the server rejects these credentials, or they have expired"},
		{reflector.ReasonUnreachable, x509.CertificateInvalidError{Reason: x509.Expired}, gadgets, "the server's certificate has expired, or the local clock is wrong"},
		{reflector.ReasonUnreachable, tls.AlertError(42), gadgets, "the server rejects the client certificate"},
		{reflector.ReasonUnreachable, &net.DNSError{Err: "no such host"}, gadgets, "the server's name cannot be resolved"},
		{reflector.ReasonTimeout, io.EOF, gadgets, "check the address in the config, and the network between this process and the server"},
		{reflector.ReasonUndecodable, io.EOF, gadgets, "an object does not fit the Go type"},
		{reflector.ReasonServerError, io.EOF, gadgets, "the server reports an error and the request is retried"},
	} {
		require.Contains(t, hint.For(string(c.reason), c.err, c.resource), c.want)
	}
	require.Empty(t, hint.For(string(reflector.ReasonOther), io.EOF, gadgets))
}
