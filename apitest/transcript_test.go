package apitest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/internal/transcript"
)

var rewrite = flag.Bool("rewrite", false, "write the responses of apitest that may differ by a documented limit into the transcripts")

// The responses in the transcripts are those of a kube-apiserver, against which
// e2e runs the same scripts.
func TestResponsesMatchTranscripts(t *testing.T) {
	for name, script := range transcripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			responses, err := transcript.Play(t.Context(), script, serverOfTranscripts(t))
			if *rewrite {
				require.NoError(t, err)
				script.Record(responses, false)
				require.NoError(t, os.WriteFile(name, []byte(script.Format()), 0o644))
				return
			}
			for _, difference := range script.Diff(responses, false) {
				t.Error(difference)
			}
			require.NoError(t, err)
		})
	}
}

func TestEveryExchangeHasAComment(t *testing.T) {
	exchanges := 0
	for _, script := range transcripts(t) {
		for _, e := range script.Exchanges {
			if !e.IsRequest() {
				continue
			}
			exchanges++
			require.NotEmpty(t, e.Comment, "%s:%d", script.Name, e.Line)
		}
	}
	require.GreaterOrEqual(t, exchanges, 500, "transcripts are missing")
}

// Each difference from a kube-apiserver is a limit in the package comment, and
// the two responses differ. Each limit has a transcript.
func TestEveryDifferenceIsDocumented(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(comment), "// # Limits\n")
	require.True(t, found)
	var stated []string
	for _, m := range regexp.MustCompile(`(?m)^//   - (.*)`).FindAllStringSubmatch(list, -1) {
		name, _, _ := strings.Cut(m[1], ": ")
		require.Regexp(t, "^[a-z]+$", name, "transcripts cannot contain this name of a limit")
		require.NotContains(t, stated, name, "stated twice")
		stated = append(stated, name)
	}
	held := map[string]bool{}
	for _, script := range transcripts(t) {
		for _, e := range script.Exchanges {
			if e.Limit == "" {
				continue
			}
			held[e.Limit] = true
			require.Contains(t, stated, e.Limit, "%s:%d", script.Name, e.Line)
			require.NotEqual(t, e.Want, e.Ours, "%s:%d: the responses no longer differ", script.Name, e.Line)
		}
	}
	for _, name := range stated {
		require.Contains(t, held, name, "no transcript shows this limit")
	}
}

// transcripts returns all scripts by file name.
func transcripts(t *testing.T) map[string]*transcript.Script {
	t.Helper()
	names, err := filepath.Glob("testdata/transcripts/*.txt")
	require.NoError(t, err)
	scripts := map[string]*transcript.Script{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		scripts[name], err = transcript.Parse(filepath.Base(name), string(text))
		require.NoError(t, err)
	}
	require.NotEmpty(t, scripts)
	return scripts
}

// serverOfTranscripts returns a server with the users of the transcripts. One of
// them may do everything and one may do nothing, as in a new cluster.
func serverOfTranscripts(t *testing.T) transcript.Server {
	t.Helper()
	const known = "system:authenticated"
	tokens := map[string]string{"admin": "token-of-admin", "nobody": "token-of-nobody"}
	srv := apitest.NewServer(apitest.Options{
		Tokens: map[string]apitest.User{
			tokens["admin"]:  {Name: "admin", Groups: []string{"system:masters", known}},
			tokens["nobody"]: {Name: "nobody", Groups: []string{known}},
		},
		Authorize: func(a apitest.Attributes) (allowed bool, reason string) {
			if slices.Contains(a.User.Groups, "system:masters") {
				return true, ""
			}
			open := []string{"/healthz", "/livez", "/readyz", "/version"}
			if slices.Contains(a.User.Groups, known) {
				open = append(open, "/api", "/apis", "/openapi/v3")
			}
			return a.Resource == "" && a.Verb == "get" && slices.Contains(open, a.Path), ""
		},
	})
	t.Cleanup(srv.Close)
	authorities := x509.NewCertPool()
	require.True(t, authorities.AppendCertsFromPEM(srv.Config().TLS.CAData))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return transcript.Server{
		URL: srv.URL, Client: &http.Client{Transport: transport}, Tokens: tokens,
		Compact: func(context.Context) error { srv.Compact(); return nil },
	}
}
