package transcripts

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/internal/transcript"
)

var rewrite = flag.Bool("rewrite", false, "write the answers of kube-apiserver into the scripts")

// server starts a control plane and is how scripts reach it.
func server(t *testing.T) transcript.Server {
	t.Helper()
	servers, err := plane.Start(t.Context(), plane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, servers.Close()) })
	authorities := x509.NewCertPool()
	require.True(t, authorities.AppendCertsFromPEM(servers.CA))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return transcript.Server{
		URL:     servers.URL,
		Client:  &http.Client{Transport: transport},
		Tokens:  map[string]string{"admin": servers.Tokens[plane.Admin], "nobody": servers.Tokens[plane.Nobody]},
		Compact: servers.Compact,
	}
}

// compacts is what would take old versions from under other scripts.
func compacts(e *transcript.Exchange) bool { return e.Verb == "COMPACT" }

// The scripts say what kube-apiserver answers.
func TestTheScriptsAreWhatKubeAPIServerAnswers(t *testing.T) {
	// Most of the time is spent waiting, so the scripts are played side by side:
	// each keeps to its own namespace and group.
	files, err := filepath.Glob("../../apitest/testdata/transcripts/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	kubeAPIServer := server(t)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			script, err := transcript.Parse(filepath.Base(name), string(text))
			require.NoError(t, err)
			if !slices.ContainsFunc(script.Exchanges, compacts) {
				t.Parallel()
			}
			answers, err := transcript.Play(t.Context(), script, kubeAPIServer)
			if *rewrite {
				require.NoError(t, err)
				script.Record(answers, true)
				require.NoError(t, os.WriteFile(name, []byte(script.Format()), 0o644))
				return
			}
			for _, difference := range script.Diff(answers, true) {
				t.Error(difference)
			}
			require.NoError(t, err)
		})
	}
}
