package rest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

func TestInClusterUsesTheEnvironmentAndTheServiceAccount(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "token"), []byte("token\n"))
	write(t, filepath.Join(folder, "ca.crt"), tlstest.NewAuthority(t, "cluster").PEM)
	for _, c := range []struct{ host, want string }{
		{"10.0.0.1", "https://10.0.0.1:443"},
		{"fd00::1", "https://[fd00::1]:443"},
		{"kubernetes.default", "https://kubernetes.default:443"},
	} {
		config, err := inCluster(c.host, "443", folder)
		require.NoError(t, err)
		require.Equal(t, c.want, config.Host)
		require.Equal(t, "token", config.BearerToken)
		require.Equal(t, filepath.Join(folder, "token"), config.BearerTokenFile)
		require.Equal(t, filepath.Join(folder, "ca.crt"), config.TLS.CAFile)
		client, err := New(config)
		require.NoError(t, err)
		client.Close()
	}
}

func TestInClusterOutsideAPodReturnsErrNotInCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("KUBERNETES_SERVICE_PORT", "")
	_, err := InCluster()
	require.ErrorIs(t, err, ErrNotInCluster)
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	_, err = InCluster()
	require.ErrorIs(t, err, ErrNotInCluster)
}

func TestTheErrorOfAnUnreadableServiceAccountNamesTheFile(t *testing.T) {
	folder := t.TempDir()
	token, ca := filepath.Join(folder, "token"), filepath.Join(folder, "ca.crt")
	_, err := inCluster("h", "1", folder)
	require.ErrorContains(t, err, token)
	require.ErrorIs(t, err, os.ErrNotExist)
	write(t, token, nil)
	_, err = inCluster("h", "1", folder)
	require.ErrorContains(t, err, token+": the file is empty")
	write(t, token, []byte("SECRET"))
	_, err = inCluster("h", "1", folder)
	require.ErrorContains(t, err, ca)
	require.ErrorIs(t, err, os.ErrNotExist)
	write(t, ca, []byte("no PEM"))
	_, err = inCluster("h", "1", folder)
	require.ErrorContains(t, err, ca+": it contains no PEM certificate")
	require.NotContains(t, err.Error(), "SECRET")
}
