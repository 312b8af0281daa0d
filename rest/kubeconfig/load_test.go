package kubeconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/rest"
)

// isolateEnvironment hides the kubeconfig and the pod of the machine from Load. It
// returns an empty home directory.
func isolateEnvironment(t *testing.T) string {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"KUBECONFIG", "POD_NAMESPACE", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
		t.Setenv(name, "")
	}
	return home
}

const minimalConfig = `{current-context: a, contexts: [{name: a, context: {cluster: a}}], clusters: [{name: a, cluster: {server: "https://a"}}]}`

// Contract: Load uses the environment of the process.
func TestLoadUsesTheProcessEnvironment(t *testing.T) {
	home := isolateEnvironment(t)

	_, err := Load(Options{})
	require.ErrorIs(t, err, rest.ErrNotInCluster)
	require.ErrorContains(t, err, filepath.Join(home, ".kube", "config")+" does not exist", "the error lists the tried files")

	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(minimalConfig), 0o600))
	t.Setenv("KUBECONFIG", file)
	t.Setenv("POD_NAMESPACE", "here")
	loaded, err := Load(Options{})
	require.NoError(t, err)
	require.Equal(t, "https://a", loaded.Config.Host)
	require.Equal(t, "here", loaded.Namespace)
	require.False(t, loaded.InCluster)
}

// Contract: relative paths are relative to the file that contains them, independently
// of the working directory.
func TestRelativePathsBecomeAbsolute(t *testing.T) {
	isolateEnvironment(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("token", []byte("x"), 0o600))
	require.NoError(t, os.WriteFile("config", []byte(`{clusters: [{name: c, cluster: {server: "https://c"}}], users: [{name: u, user: {tokenFile: token}}]}`), 0o600))

	loaded, err := Load(Options{Path: "config", Cluster: "c", User: "u"})
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(loaded.Config.BearerTokenFile), loaded.Config.BearerTokenFile)
	require.FileExists(t, loaded.Config.BearerTokenFile)
}

// Contract: an existing file that cannot be read is an error that names the file. It
// is not skipped.
func TestAnUnreadableFileIsNotSkipped(t *testing.T) {
	isolateEnvironment(t)
	if os.Getuid() == 0 {
		t.Skip("root can read every file; the transcripts test a directory instead")
	}
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(minimalConfig), 0o000))
	t.Setenv("KUBECONFIG", file)
	_, err := Load(Options{})
	require.ErrorIs(t, err, os.ErrPermission)
	require.ErrorContains(t, err, file)
}

// Contract: rest.New accepts the loaded Config.
func TestRestNewAcceptsTheLoadedConfig(t *testing.T) {
	loaded, err := FromBytes([]byte(minimalConfig), Options{})
	require.NoError(t, err)
	client, err := rest.New(loaded.Config)
	require.NoError(t, err)
	client.Close()
}

// Contract: the size of a kubeconfig is limited, in a file and in bytes.
func TestTheSizeOfAKubeconfigIsLimited(t *testing.T) {
	isolateEnvironment(t)
	fits := minimalConfig + "\n#" + strings.Repeat("x", maxSize-len(minimalConfig)-2)
	_, err := FromBytes([]byte(fits), Options{})
	require.NoError(t, err)

	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(fits+"x"), 0o600))
	_, err = Load(Options{Path: file})
	require.ErrorContains(t, err, file+" has more than 8388608 bytes")
	_, err = FromBytes([]byte(fits+"x"), Options{})
	require.ErrorContains(t, err, "more than 8388608 bytes")
}
