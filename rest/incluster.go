package rest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// InCluster is the config of a process in a pod: the server that the
// environment names, and the pod's service account. Its token and authorities
// are read again as the kubelet renews them.
//
// It returns ErrNotInCluster where the environment names no server. A token or
// authorities that cannot be read are an error that names the file.
func InCluster() (*Config, error) {
	return inCluster(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"), serviceAccountFolder)
}

func inCluster(host, port, folder string) (*Config, error) {
	if host == "" || port == "" {
		return nil, ErrNotInCluster
	}
	tokenFile, caFile := filepath.Join(folder, "token"), filepath.Join(folder, "ca.crt")
	token, err := readToken(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the service account's token: %w", err)
	}
	authorities, err := readBounded(caFile)
	if err == nil {
		_, err = parseAuthorities(authorities)
	}
	if err != nil {
		return nil, fmt.Errorf("read the cluster's authorities from %s: %w", caFile, err)
	}
	return &Config{
		Host:            "https://" + net.JoinHostPort(host, port),
		TLS:             TLSConfig{CAFile: caFile},
		BearerToken:     token,
		BearerTokenFile: tokenFile,
	}, nil
}
