package rest

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const execKind = "ExecCredential"

// execRequest is what a plugin is told, in KUBERNETES_EXEC_INFO.
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

// execAnswer is what a plugin writes.
type execAnswer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Status     *struct {
		ExpirationTimestamp   *time.Time `json:"expirationTimestamp"`
		Token                 string     `json:"token"`
		ClientCertificateData string     `json:"clientCertificateData"`
		ClientKeyData         string     `json:"clientKeyData"`
	} `json:"status"`
}

// issued is what a plugin has handed out: a token, a certificate, or both.
type issued struct {
	token          string
	certificatePEM string
	keyPEM         string
	certificate    *tls.Certificate
	expires        time.Time // zero: never
}

// readAnswer reads a plugin's output. Its errors show none of it.
func readAnswer(output []byte, apiVersion string) (*issued, error) {
	var answer execAnswer
	if err := json.Unmarshal(output, &answer); err != nil {
		return nil, fmt.Errorf("its output (%d bytes) is not an %s in JSON", len(output), execKind)
	}
	switch {
	case answer.Kind != execKind:
		return nil, fmt.Errorf("its output is of another kind than %s", execKind)
	case answer.APIVersion != apiVersion:
		return nil, fmt.Errorf("its output is not of the version that was asked for, %s%s", apiVersion, otherVersion(answer.APIVersion))
	case answer.Status == nil:
		return nil, errors.New("its output has no status, so no credentials")
	}
	status := answer.Status
	made := &issued{token: status.Token, certificatePEM: status.ClientCertificateData, keyPEM: status.ClientKeyData}
	switch {
	case made.token == "" && made.certificatePEM == "" && made.keyPEM == "":
		return nil, errors.New("its output has neither a token nor a client certificate")
	case (made.certificatePEM == "") != (made.keyPEM == ""):
		return nil, errors.New("its output has only one of clientCertificateData and clientKeyData")
	case !fitsHeader(made.token):
		return nil, errors.New("its token has characters that a header cannot carry")
	}
	if status.ExpirationTimestamp != nil {
		made.expires = *status.ExpirationTimestamp
	}
	if made.certificatePEM != "" {
		pair, err := tls.X509KeyPair([]byte(made.certificatePEM), []byte(made.keyPEM))
		if err != nil {
			return nil, errors.New("its client certificate and key are not a pair in PEM")
		}
		made.certificate = &pair
	}
	return made, nil
}

// otherVersion names a version of the protocol that came instead of another.
func otherVersion(version string) string {
	for _, known := range []string{execV1, execV1beta1, "client.authentication.k8s.io/v1alpha1"} {
		if version == known {
			return ", but " + known
		}
	}
	return ""
}

// request is what the plugin is told. The authorities are those that are in the
// file now.
func (c *Config) execRequest(base *url.URL, interactive bool) ([]byte, error) {
	told := execRequest{APIVersion: c.Exec.APIVersion, Kind: execKind, Spec: execRequestSpec{Interactive: interactive}}
	if c.Exec.ProvideClusterInfo {
		cluster := &execCluster{
			Server:             base.String(),
			TLSServerName:      c.TLS.ServerName,
			Insecure:           c.TLS.Insecure,
			Authorities:        c.TLS.CAData,
			DisableCompression: c.DisableCompression,
			Config:             c.Exec.Config,
		}
		if len(c.TLS.CAData) == 0 && c.TLS.CAFile != "" {
			authorities, err := readBounded(c.TLS.CAFile)
			if err != nil {
				return nil, fmt.Errorf("read the authorities that it is told from %s: %w", c.TLS.CAFile, err)
			}
			cluster.Authorities = authorities
		}
		if c.Proxy != nil {
			if through, err := c.Proxy(&http.Request{Method: http.MethodGet, URL: base}); err == nil && through != nil {
				cluster.ProxyURL = through.String()
			}
		}
		told.Spec.Cluster = cluster
	}
	return json.Marshal(told)
}
