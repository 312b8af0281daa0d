package kubeconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/rest"
)

// hermetic leaves nothing of the machine for Load to find, and returns the home
// directory.
func hermetic(t *testing.T) string {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"KUBECONFIG", "POD_NAMESPACE", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
		t.Setenv(name, "")
	}
	return home
}

const minimal = `{current-context: a, contexts: [{name: a, context: {cluster: a}}], clusters: [{name: a, cluster: {server: "https://a"}}]}`

// Contract: Load asks the process it runs in.
func TestLoadAsksTheProcess(t *testing.T) {
	home := hermetic(t)

	_, err := Load(Options{})
	require.ErrorIs(t, err, rest.ErrNotInCluster)
	require.ErrorContains(t, err, filepath.Join(home, ".kube", "config")+" does not exist", "it says what was tried")

	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(minimal), 0o600))
	t.Setenv("KUBECONFIG", file)
	t.Setenv("POD_NAMESPACE", "here")
	loaded, err := Load(Options{})
	require.NoError(t, err)
	require.Equal(t, "https://a", loaded.Config.Host)
	require.Equal(t, "here", loaded.Namespace)
	require.False(t, loaded.InCluster)
}

// Contract: relative paths are relative to the file that names them, whatever
// the working directory is, then and later.
func TestRelativePathsBecomeAbsolute(t *testing.T) {
	hermetic(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("token", []byte("x"), 0o600))
	require.NoError(t, os.WriteFile("config", []byte(`{clusters: [{name: c, cluster: {server: "https://c"}}], users: [{name: u, user: {tokenFile: token}}]}`), 0o600))

	loaded, err := Load(Options{Path: "config", Cluster: "c", User: "u"})
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(loaded.Config.BearerTokenFile), loaded.Config.BearerTokenFile)
	require.FileExists(t, loaded.Config.BearerTokenFile)
}

// Contract: an existing file that cannot be read is an error that names it; it
// is not passed over for the next.
func TestAnUnreadableFileIsNotPassedOver(t *testing.T) {
	hermetic(t)
	if os.Getuid() == 0 {
		t.Skip("root reads everything; the transcripts have a folder in its place")
	}
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(minimal), 0o000))
	t.Setenv("KUBECONFIG", file)
	_, err := Load(Options{})
	require.ErrorIs(t, err, os.ErrPermission)
	require.ErrorContains(t, err, file)
}

// Contract: what was loaded is what rest.New takes.
func TestWhatIsLoadedMakesAClient(t *testing.T) {
	loaded, err := FromBytes([]byte(minimal), Options{})
	require.NoError(t, err)
	client, err := rest.New(loaded.Config)
	require.NoError(t, err)
	client.Close()
}

// Contract: a kubeconfig is bounded in size, from wherever it comes.
func TestAKubeconfigIsBounded(t *testing.T) {
	hermetic(t)
	fits := minimal + "\n#" + strings.Repeat("x", maxSize-len(minimal)-2)
	_, err := FromBytes([]byte(fits), Options{})
	require.NoError(t, err)

	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(fits+"x"), 0o600))
	_, err = Load(Options{Path: file})
	require.ErrorContains(t, err, file+" has more than 8388608 bytes")
	_, err = FromBytes([]byte(fits+"x"), Options{})
	require.ErrorContains(t, err, "more than 8388608 bytes")
}
