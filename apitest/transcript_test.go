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

var rewrite = flag.Bool("rewrite", false, "write the answers of apitest into the transcripts, where a stated limit lets them differ")

// The answers in the transcripts are those of a kube-apiserver, which e2e plays
// them against: what passes here, a client cannot tell apart.
func TestAClientCannotTell(t *testing.T) {
	for name, script := range transcripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			answers, err := transcript.Play(t.Context(), script, serverOfTranscripts(t))
			if *rewrite {
				require.NoError(t, err)
				script.Record(answers, false)
				require.NoError(t, os.WriteFile(name, []byte(script.Format()), 0o644))
				return
			}
			for _, difference := range script.Diff(answers, false) {
				t.Error(difference)
			}
			require.NoError(t, err)
		})
	}
}

func TestEveryExchangeSaysWhatItHolds(t *testing.T) {
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
	require.GreaterOrEqual(t, exchanges, 500, "where have they gone?")
}

// What differs from a kube-apiserver is a limit that the package comment states,
// and the two answers differ; and no limit is stated that nothing differs by.
func TestEveryDifferenceIsAStatedLimit(t *testing.T) {
	chapter, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(chapter), "// # Limits\n")
	require.True(t, found)
	var stated []string
	for _, m := range regexp.MustCompile(`(?m)^//   - (.*)`).FindAllStringSubmatch(list, -1) {
		name, _, _ := strings.Cut(m[1], ": ")
		require.Regexp(t, "^[a-z]+$", name, "transcripts cannot call a limit so")
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
			require.NotEqual(t, e.Want, e.Ours, "%s:%d: it does not differ any more", script.Name, e.Line)
		}
	}
	for _, name := range stated {
		require.Contains(t, held, name, "no transcript shows this limit: is it one?")
	}
}

// transcripts are all scripts, by the names of their files.
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

// serverOfTranscripts is a server that knows the users of the transcripts, of
// whom one may do everything and one nothing, as in a new cluster.
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
