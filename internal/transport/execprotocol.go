package transport

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// The versions of the credential plugin protocol.
const (
	ExecV1      = "client.authentication.k8s.io/v1"
	ExecV1beta1 = "client.authentication.k8s.io/v1beta1"
)

// The values of ExecConfig.Interactive.
const (
	ExecNever       = "Never"
	ExecIfAvailable = "IfAvailable"
	ExecAlways      = "Always"
)

const execKind = "ExecCredential"

// execRequest is the input of a plugin, in KUBERNETES_EXEC_INFO.
type execRequest struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Spec       execRequestSpec `json:"spec"`
}

type execRequestSpec struct {
	Cluster     *execCluster `json:"cluster,omitempty"`
	Interactive bool         `json:"interactive"`
}

type execCluster struct {
	Server             string          `json:"server"`
	TLSServerName      string          `json:"tls-server-name,omitempty"`
	Insecure           bool            `json:"insecure-skip-tls-verify,omitempty"`
	Authorities        []byte          `json:"certificate-authority-data,omitempty"`
	ProxyURL           string          `json:"proxy-url,omitempty"`
	DisableCompression bool            `json:"disable-compression,omitempty"`
	Config             json.RawMessage `json:"config,omitempty"`
}

// execResponse is the output of a plugin.
type execResponse struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Status     *struct {
		ExpirationTimestamp   *time.Time `json:"expirationTimestamp"`
		Token                 string     `json:"token"`
		ClientCertificateData string     `json:"clientCertificateData"`
		ClientKeyData         string     `json:"clientKeyData"`
	} `json:"status"`
}

// execCredentials are the credentials from a plugin: a token, a certificate, or
// both.
type execCredentials struct {
	token          string
	certificatePEM string
	keyPEM         string
	certificate    *tls.Certificate
	expires        time.Time // zero: never
}

// parseExecResponse parses a plugin's output. Its errors do not show the output.
func parseExecResponse(output []byte, apiVersion string) (*execCredentials, error) {
	var response execResponse
	if err := json.Unmarshal(output, &response); err != nil {
		return nil, fmt.Errorf("its output (%d bytes) is not an %s in JSON", len(output), execKind)
	}
	switch {
	case response.Kind != execKind:
		return nil, fmt.Errorf("the kind of its output is not %s", execKind)
	case response.APIVersion != apiVersion:
		return nil, fmt.Errorf("the apiVersion of its output is not the requested %s%s", apiVersion, otherVersion(response.APIVersion))
	case response.Status == nil:
		return nil, errors.New("its output has no status with credentials")
	}
	status := response.Status
	credentials := &execCredentials{token: status.Token, certificatePEM: status.ClientCertificateData, keyPEM: status.ClientKeyData}
	switch {
	case credentials.token == "" && credentials.certificatePEM == "" && credentials.keyPEM == "":
		return nil, errors.New("its output has neither a token nor a client certificate")
	case (credentials.certificatePEM == "") != (credentials.keyPEM == ""):
		return nil, errors.New("its output has only one of clientCertificateData and clientKeyData")
	case !FitsHeader(credentials.token):
		return nil, errors.New("its token has characters that are invalid in a header")
	}
	if status.ExpirationTimestamp != nil {
		credentials.expires = *status.ExpirationTimestamp
	}
	if credentials.certificatePEM != "" {
		pair, err := tls.X509KeyPair([]byte(credentials.certificatePEM), []byte(credentials.keyPEM))
		if err != nil {
			return nil, errors.New("its client certificate and key are not a PEM key pair")
		}
		credentials.certificate = &pair
	}
	return credentials, nil
}

// otherVersion describes a known protocol version that differs from the expected
// one.
func otherVersion(version string) string {
	for _, known := range []string{ExecV1, ExecV1beta1, "client.authentication.k8s.io/v1alpha1"} {
		if version == known {
			return ", but " + known
		}
	}
	return ""
}

// execRequest encodes the input of the plugin. The certificate authorities are the
// current contents of the file.
func (c *Config) execRequest(interactive bool) ([]byte, error) {
	request := execRequest{APIVersion: c.Exec.APIVersion, Kind: execKind, Spec: execRequestSpec{Interactive: interactive}}
	if c.Exec.ProvideClusterInfo {
		cluster := &execCluster{
			Server:             c.Base.String(),
			TLSServerName:      c.TLS.ServerName,
			Insecure:           c.TLS.Insecure,
			Authorities:        c.TLS.CAData,
			DisableCompression: c.DisableCompression,
			Config:             c.Exec.Config,
		}
		if len(c.TLS.CAData) == 0 && c.TLS.CAFile != "" {
			authorities, err := readBounded(c.TLS.CAFile)
			if err != nil {
				return nil, fmt.Errorf("read the certificate authorities for it from %s: %w", c.TLS.CAFile, err)
			}
			cluster.Authorities = authorities
		}
		if c.Proxy != nil {
			if proxyURL, err := c.Proxy(&http.Request{Method: http.MethodGet, URL: c.Base}); err == nil && proxyURL != nil {
				cluster.ProxyURL = proxyURL.String()
			}
		}
		request.Spec.Cluster = cluster
	}
	return json.Marshal(request)
}
