package kubectl

import (
	"cmp"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/e2e/plane"
)

var rewrite = flag.Bool("rewrite", false, "write the output of kubectl with the real server to testdata")

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "curl" {
		becomeCurl()
		return
	}
	goleak.VerifyTestMain(m)
}

// kubectl prints the same with kube-apiserver and with apitest.
func TestSessions(t *testing.T) {
	real, err := plane.Start(t.Context(), plane.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := real.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range sessions(t) {
		t.Run(filepath.Base(s.file), func(t *testing.T) {
			t.Run("kube-apiserver", func(t *testing.T) {
				kubeconfig, err := os.ReadFile(real.Kubeconfig)
				if err != nil {
					t.Fatal(err)
				}
				at := server{"kube-apiserver", true, string(kubeconfig)}
				printed := run(t, s, at, real.Binaries.Kubectl)
				if *rewrite {
					record(t, s, at, printed)
					return
				}
				compare(t, s, at, printed)
			})
			t.Run("apitest", func(t *testing.T) {
				at := startApitest(t)
				printed := run(t, s, at, real.Binaries.Kubectl)
				if *rewrite {
					record(t, s, at, printed)
				}
				compare(t, s, at, printed)
			})
		})
	}
}

// sessions returns the sessions in testdata.
func sessions(t *testing.T) (all []*session) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parse(file, string(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// record writes the session with the output of a server: that of the real server, and for
// apitest only the output that differs by a limit.
func record(t *testing.T, s *session, at server, printed []string) {
	t.Helper()
	for i, step := range s.steps {
		if at.real {
			step.real = printed[i]
		} else if step.limit != "" {
			step.ours = printed[i]
		}
	}
	if err := os.WriteFile(s.file, []byte(s.format()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func startApitest(t *testing.T) server {
	t.Helper()
	srv := apitest.NewServer(apitest.Options{})
	t.Cleanup(srv.Close)
	config := srv.Config()
	// Without credentials in the kubeconfig kubectl asks for a user name.
	token := cmp.Or(config.BearerToken, "any-token")
	return server{"apitest", false, kubeconfigOf(config.Host, base64.StdEncoding.EncodeToString(config.TLS.CAData), token)}
}
