package main

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/thinformer/thinformer/apitest"
)

// kubeconfigOf is what kubectl needs to reach the server. %q and base64 write
// what YAML reads as it is.
func kubeconfigOf(srv *apitest.Server, token string) []byte {
	cluster := "server: " + strconv.Quote(srv.URL)
	if authority := srv.Config().TLS.CAData; authority != nil {
		cluster += ", certificate-authority-data: " + base64.StdEncoding.EncodeToString(authority)
	}
	// kubectl asks its terminal for a name and a password where a kubeconfig has
	// nothing to show; a server that asks for no token takes any.
	token = cmp.Or(token, "anybody")
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
