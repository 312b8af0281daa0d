package controllers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// No program is left with an import of what it switches from, unless its diff
// says what for.
func TestEachDiffSwitchesTheImports(t *testing.T) {
	names, err := programs()
	require.NoError(t, err)
	for _, name := range names {
		diff, err := testdata.ReadFile("testdata/" + name + ".diff")
		require.NoError(t, err)
		for _, line := range []string{
			"-\t\"k8s.io/client-go/tools/cache\"\n", "+\t\"github.com/thinformer/thinformer/cache\"\n",
			"-\t\"k8s.io/client-go/util/workqueue\"\n", "+\t\"github.com/thinformer/thinformer/workqueue\"\n",
		} {
			require.Contains(t, string(diff), line, name)
		}
	}
}

// A diff that no longer fits its program is an error that says so.
func TestDiffThatDoesNotFit(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"a line of its context is another": func(text string) string {
			return strings.Replace(text, `"k8s.io/client-go/tools/clientcmd"`, `clientcmd "k8s.io/client-go/tools/clientcmd"`, 1)
		},
		"it is applied already": func(text string) string {
			text = strings.Replace(text, `"k8s.io/client-go/tools/cache"`, `"github.com/thinformer/thinformer/cache"`, 1)
			return strings.Replace(text, `"k8s.io/client-go/util/workqueue"`, `"github.com/thinformer/thinformer/workqueue"`, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(filepath.Join(dir, "from"), os.DirFS("workqueue")))
			file := filepath.Join(dir, "from", "main.go")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(change(string(text))), 0o600))
			err = switchOne(t.Context(), "workqueue", filepath.Join(dir, "from"), filepath.Join(dir, "to"), map[string]string{})
			require.ErrorContains(t, err, "the program workqueue has changed and its diff has not")
		})
	}
}
