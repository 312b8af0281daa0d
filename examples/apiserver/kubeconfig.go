package main

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/thinformer/thinformer/apitest"
)

// kubeconfigOf returns a kubeconfig for the server. The results of %q and base64 are
// valid YAML.
func kubeconfigOf(srv *apitest.Server, token string) []byte {
	cluster := "server: " + strconv.Quote(srv.URL)
	if authority := srv.Config().TLS.CAData; authority != nil {
		cluster += ", certificate-authority-data: " + base64.StdEncoding.EncodeToString(authority)
	}
	// Without credentials in the kubeconfig, kubectl prompts for a name and a password.
	// A server that requires no token accepts any.
	token = cmp.Or(token, "any")
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: apitest
contexts:
- name: apitest
  context: {cluster: apitest, user: apitest}
clusters:
- name: apitest
  cluster: {%s}
users:
- name: apitest
  user: {token: %q}
`, cluster, token)
}
