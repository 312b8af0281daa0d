package controller

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

var gadgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}

// A server that cannot be reached, or not be trusted, is told apart from others
// by what the network really says, in words for whoever has to mend it.
func TestARemedyForTheWayToTheServer(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for want, config := range map[string]*rest.Config{
		"nobody listens there: check the address in the config, and whether the server runs":                                            {Host: closed.URL},
		"the server's certificate is signed by somebody else than the config says: give the config that server's certificate-authority": {Host: server.URL},
		"the server's certificate is for another name: use an address that it is for, or set tls-server-name":                           {Host: server.URL, TLS: rest.TLSConfig{CAData: ca, ServerName: "elsewhere.invalid"}},
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
		require.Equal(t, want, remedy(&reflector.Error{Reason: reflector.Unreachable, Err: err}, gadgets), "%v", err)
	}
}

// What else can go wrong has its own words; an error that is nobody's has none.
func TestRemedies(t *testing.T) {
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	for _, c := range []struct {
		reason   reflector.Reason
		err      error
		resource schema.GroupVersionResource
		want     string
	}{
		{reflector.NotFound, io.EOF, gadgets, "the server does not serve gadgets.example.com in version v1: apply its CustomResourceDefinition"},
		{reflector.NotFound, io.EOF, configMaps, "the server does not serve configmaps: check the name and the version"},
		{reflector.Forbidden, io.EOF, gadgets, `let the user that err names list and watch gadgets.example.com, by a Role or ClusterRole (apiGroups: ["example.com"], resources: ["gadgets"], verbs: [list, watch])`},
		{reflector.Unauthorized, io.EOF, gadgets, "the server does not know these credentials, or they have expired"},
		{reflector.Unreachable, x509.CertificateInvalidError{Reason: x509.Expired}, gadgets, "the server's certificate has expired, or the clock here is wrong"},
		{reflector.Unreachable, tls.AlertError(42), gadgets, "the server does not take the client certificate"},
		{reflector.Unreachable, &net.DNSError{Err: "no such host"}, gadgets, "the server's name is not known here"},
		{reflector.Timeout, io.EOF, gadgets, "check the address in the config, and what is between here and there"},
		{reflector.Undecodable, io.EOF, gadgets, "what the server sends does not fit into the Go type"},
		{reflector.ServerError, io.EOF, gadgets, "the server is in trouble, and is asked again"},
	} {
		got := remedy(fmt.Errorf("gadgets: %w", &reflector.Error{Reason: c.reason, Err: c.err}), c.resource)
		require.Contains(t, got, c.want)
	}
	require.Empty(t, remedy(io.EOF, gadgets))
}
