package controller

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/reflector"
)

// remedy is what somebody can do about an informer that fails, in words for who
// has never seen this library; "" if there is nothing but to wait.
func remedy(err error, resource schema.GroupVersionResource) string {
	name := "the resource"
	if resource.Resource != "" {
		name = resource.GroupResource().String()
	}
	failed := (*reflector.Error)(nil)
	if !errors.As(err, &failed) {
		return ""
	}
	switch failed.Reason {
	case reflector.NotFound:
		if resource.Group == "" {
			return fmt.Sprintf("the server does not serve %s: check the name and the version; kubectl api-resources lists what there is", name)
		}
		return fmt.Sprintf("the server does not serve %s in version %s: apply its CustomResourceDefinition, or ask for a version that it has; it is watched as soon as it is there", name, resource.Version)
	case reflector.Forbidden:
		return fmt.Sprintf("let the user that err names list and watch %s, by a Role or ClusterRole (apiGroups: [%q], resources: [%q], verbs: [list, watch]) and a binding; it goes on by itself then", name, resource.Group, resource.Resource)
	case reflector.Unauthorized:
		return "the server does not know these credentials, or they have expired: renew the token or the client certificate, in the kubeconfig or where it says"
	case reflector.Unreachable, reflector.Timeout:
		return wayTo(err)
	case reflector.Undecodable:
		return "what the server sends does not fit into the Go type: err says which field"
	case reflector.Throttled, reflector.ServerError:
		return "the server is in trouble, and is asked again: its own log says more"
	}
	return ""
}

// wayTo is what to do about a server that is not reached.
func wayTo(err error) string {
	var expired x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var misnamed x509.HostnameError
	var unresolved *net.DNSError
	var refused tls.AlertError // by the server, as it comes from there
	switch {
	case errors.As(err, &expired) && expired.Reason == x509.Expired:
		return "the server's certificate has expired, or the clock here is wrong: renew it on the server"
	case errors.As(err, &unknown):
		return "the server's certificate is signed by somebody else than the config says: give the config that server's certificate-authority"
	case errors.As(err, &misnamed):
		return "the server's certificate is for another name: use an address that it is for, or set tls-server-name"
	case errors.As(err, &refused):
		return "the server does not take the client certificate: renew it, in the kubeconfig or where it says"
	case errors.As(err, &unresolved):
		return "the server's name is not known here: check the address in the config"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens there: check the address in the config, and whether the server runs"
	}
	return "check the address in the config, and what is between here and there"
}
