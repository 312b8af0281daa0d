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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/internal/transcript"
)

var rewrite = flag.Bool("rewrite", false, "write the responses of kube-apiserver to the scripts")

// server starts a control plane and returns it as the server of scripts.
func server(t *testing.T) transcript.Server {
	t.Helper()
	// By default kube-apiserver compacts etcd every five minutes: the scripts read
	// versions that this would discard.
	servers, err := plane.Start(t.Context(), plane.Options{Flags: []string{"--etcd-compaction-interval=0"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, servers.Close()) })
	authorities := x509.NewCertPool()
	require.True(t, authorities.AppendCertsFromPEM(servers.CA))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return transcript.Server{
		URL:     servers.URL,
		Client:  &http.Client{Transport: transport},
		Tokens:  map[string]string{"admin": servers.Tokens[plane.Admin], "nobody": servers.Tokens[plane.Unprivileged]},
		Compact: servers.Compact,
		// Twenty scripts share the server, on a machine with other work.
		Timeout: 2 * time.Minute,
	}
}

// compacts reports whether an exchange discards versions that other scripts may need.
func compacts(e *transcript.Exchange) bool { return e.Verb == "COMPACT" }

// The scripts have the responses of kube-apiserver.
func TestScriptsHaveResponsesOfKubeAPIServer(t *testing.T) {
	// The scripts run in parallel, since they mostly wait. Each has its own namespace and
	// group.
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
