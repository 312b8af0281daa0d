package controllers

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/thinformer/thinformer/apitest"
)

var rewrite = flag.Bool("rewrite", false, "write the patches, and the output of the programs with client-go, to testdata")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each program prints the same and writes the same with either library, and testdata has
// its output.
func TestBothBuildsBehaveAlike(t *testing.T) {
	built, err := Build(t.Context(), t.TempDir())
	require.NoError(t, err)
	require.Len(t, built, 4)
	for _, program := range built {
		t.Run(program.Name, func(t *testing.T) {
			t.Parallel()
			theirs, theirWrites := run(t, program.ClientGo)
			if *rewrite {
				require.NoError(t, os.WriteFile(filepath.Join("testdata", program.Name+".txt"), []byte(theirs), 0o600))
			} else {
				require.Equal(t, program.Prints, theirs, "with client-go")
			}
			ours, ourWrites := run(t, program.Switched)
			require.Equal(t, theirs, ours, "switched")
			require.Equal(t, theirWrites, ourWrites)
		})
	}
}

// run runs a program with its own server, and returns its output and its writes.
func run(t *testing.T, file string) (printed string, writes []string) {
	t.Helper()
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	printed, err := Run(ctx, file, kubeconfigOf(t, srv))
	require.NoError(t, err, printed)
	for _, r := range srv.Requests(apitest.Match{}) {
		if slices.Contains([]string{"create", "update", "patch", "delete"}, r.Verb) && r.Code < 300 {
			writes = append(writes, strings.Join([]string{r.Verb, r.Resource, r.Subresource, r.Name}, " "))
		}
	}
	slices.Sort(writes)
	return printed, writes
}

func kubeconfigOf(t *testing.T, srv *apitest.Server) (file string) {
	t.Helper()
	config := srv.Config()
	file = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(api.Config{
		Clusters:       map[string]*api.Cluster{"test": {Server: config.Host, CertificateAuthorityData: config.TLS.CAData}},
		AuthInfos:      map[string]*api.AuthInfo{"test": {Token: config.BearerToken}},
		Contexts:       map[string]*api.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}, file))
	return file
}

// Each diff changes the import that decides where the informers of its program come from.
func TestEachDiffSwitchesTheInformers(t *testing.T) {
	names, err := programs()
	require.NoError(t, err)
	for _, name := range names {
		diff, err := testdata.ReadFile("testdata/" + name + ".diff")
		require.NoError(t, err)
		require.Regexp(t, `(?m)^-.*"`+map[string]string{
			"workqueue": "k8s.io/client-go/tools/cache",
			"factory":   "k8s.io/client-go/informers",
			"custom":    packages[:strings.LastIndex(packages, "/")] + "/testdata/widgets/generated/informers/externalversions",
			"dynamic":   "k8s.io/client-go/dynamic/dynamicinformer",
		}[name]+`"$`, string(diff), name)
		require.Regexp(t, `(?m)^-.*"k8s.io/client-go/util/workqueue"$`, string(diff), name)
	}
}

// If a diff does not apply to its program, the error says so.
func TestDiffThatDoesNotApply(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"a context line differs": func(text string) string {
			return strings.Replace(text, `"k8s.io/client-go/tools/clientcmd"`, `clientcmd "k8s.io/client-go/tools/clientcmd"`, 1)
		},
		"already applied": func(text string) string {
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
			require.ErrorContains(t, err, "the diff of program workqueue does not apply")
		})
	}
}
