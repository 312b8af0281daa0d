package kubectl

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/e2e/plane"
)

var rewrite = flag.Bool("rewrite", false, "write what kubectl prints at the real server into testdata")

// real is the control plane that the tests of this package share: a start takes
// seconds.
var real *plane.Plane

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		var err error
		if real, err = plane.Start(context.Background(), plane.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer real.Close()
		return m.Run()
	}())
}

// kubectl sees the same at kube-apiserver and at apitest.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := parse(file, string(text))
			if err != nil {
				t.Fatal(err)
			}
			t.Run("kube-apiserver", func(t *testing.T) {
				kubeconfig, err := os.ReadFile(real.Kubeconfig)
				if err != nil {
					t.Fatal(err)
				}
				at := server{"kube-apiserver", true, string(kubeconfig)}
				printed := play(t, s, at, real.Binaries.Kubectl)
				if *rewrite {
					record(t, s, printed)
					return
				}
				compare(t, s, at, printed)
			})
			t.Run("apitest", func(t *testing.T) {
				at := startApitest(t)
				compare(t, s, at, play(t, s, at, real.Binaries.Kubectl))
			})
		})
	}
}

// record writes the session with what the real server makes of it.
func record(t *testing.T, s *session, printed []string) {
	t.Helper()
	for i, step := range s.steps {
		step.real = printed[i]
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
	return server{"apitest", false, kubeconfigOf(config.Host, base64.StdEncoding.EncodeToString(config.TLS.CAData), config.BearerToken)}
}
