// Package hint says how to fix the failure of a list or a watch, for readers that do
// not know this library. Health endpoints, logs and the debug page show the hints.
package hint

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Undecodable is the hint for objects of a list that could not be decoded.
const Undecodable = "correct ResourceInfo.Kind if the server sent another kind, else the Go type or the object"

// For returns the hint for a failure. The reason is a reflector.Reason. The result is
// "" if there is nothing to do but wait.
func For(reason string, err error, resource schema.GroupVersionResource) string {
	name := "the resource"
	if resource.Resource != "" {
		name = resource.GroupResource().String()
	}
	switch reason {
	case "not found":
		if resource.Group == "" {
			return fmt.Sprintf("the server does not serve %s: check the name and the version with kubectl api-resources", name)
		}
		return fmt.Sprintf("the server does not serve %s in version %s: apply its CustomResourceDefinition, or use a version that it serves; the watch starts as soon as it exists", name, resource.Version)
	case "forbidden":
		return fmt.Sprintf("allow the user named in the error to list and watch %s, with a Role or ClusterRole (apiGroups: [%q], resources: [%q], verbs: [list, watch]) and a binding; no restart is needed", name, resource.Group, resource.Resource)
	case "unauthorized":
		return "the server rejects these credentials, or they have expired: renew the token or the client certificate in the kubeconfig, or in the file that it refers to"
	case "unreachable", "timeout":
		return connectionHint(err)
	case "undecodable":
		return "an object does not fit the Go type: the error names the field"
	case "throttled", "server error":
		return "the server reports an error and the request is retried: see the log of the server"
	}
	return ""
}

// connectionHint returns advice for a server that cannot be reached.
func connectionHint(err error) string {
	var expired x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var misnamed x509.HostnameError
	var unresolved *net.DNSError
	var refused tls.AlertError // an alert sent by the server
	switch {
	case errors.As(err, &expired) && expired.Reason == x509.Expired:
		return "the server's certificate has expired, or the local clock is wrong: renew it on the server"
	case errors.As(err, &unknown):
		return "the server's certificate is signed by an unknown authority: set the server's certificate-authority in the config"
	case errors.As(err, &misnamed):
		return "the server's certificate is for another name: use an address that the certificate covers, or set tls-server-name"
	case errors.As(err, &refused):
		return "the server rejects the client certificate: renew it in the kubeconfig, or in the file that it refers to"
	case errors.As(err, &unresolved):
		return "the server's name cannot be resolved: check the address in the config"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused: check the address in the config, and that the server is running"
	}
	return "check the address in the config, and the network between this process and the server"
}
