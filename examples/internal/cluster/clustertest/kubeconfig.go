// Package clustertest provides servers for the tests of examples.
package clustertest

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/thinformer/thinformer/apitest"
)

// Kubeconfig writes a kubeconfig for srv and returns its name. The file is removed after
// the test. It has one context, "test", and a token, which servers without tokens accept.
func Kubeconfig(t testing.TB, srv *apitest.Server) string {
	t.Helper()
	return kubeconfigOf(t, srv, "test")
}

func kubeconfigOf(t testing.TB, srv *apitest.Server, token string) string {
	t.Helper()
	cluster := "server: " + strconv.Quote(srv.URL)
	if authority := srv.Config().TLS.CAData; authority != nil {
		cluster += ", certificate-authority-data: " + base64.StdEncoding.EncodeToString(authority)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	err := os.WriteFile(file, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test}}]
clusters: [{name: test, cluster: {%s}}]
users: [{name: test, user: {token: %s}}]
`, cluster, token), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
