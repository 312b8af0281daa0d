package rest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/thinformer/thinformer/internal/transport"
)

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// InCluster returns the config of a process in a pod: the server from the
// environment, and the pod's service account. Its token and certificate authorities
// are read again as the kubelet renews them.
//
// It returns ErrNotInCluster if the environment names no server. If a token or
// authority file cannot be read, the error names the file.
func InCluster() (*Config, error) {
	return inCluster(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"), serviceAccountFolder)
}

func inCluster(host, port, folder string) (*Config, error) {
	if host == "" || port == "" {
		return nil, ErrNotInCluster
	}
	tokenFile, caFile := filepath.Join(folder, "token"), filepath.Join(folder, "ca.crt")
	token, err := transport.ReadToken(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the service account's token: %w", err)
	}
	if err := transport.CheckAuthorities(caFile); err != nil {
		return nil, fmt.Errorf("read the cluster's certificate authorities from %s: %w", caFile, err)
	}
	return &Config{
		Host:            "https://" + net.JoinHostPort(host, port),
		TLS:             TLSConfig{CAFile: caFile},
		BearerToken:     token,
		BearerTokenFile: tokenFile,
	}, nil
}
