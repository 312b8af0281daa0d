package interop_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/kubeconfig"
)

// For random kubeconfigs in one to three files, rest/kubeconfig and client-go's clientcmd
// return equal configs, or both return an error.
func TestKubeconfigsEqualClientGo(t *testing.T) {
	for _, name := range []string{"POD_NAMESPACE", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
		t.Setenv(name, "")
	}
	const rounds = 100
	used := 0
	for seed := range uint64(rounds) {
		w := kubeconfigWriter{rand.New(rand.NewPCG(seed, 1)), t.TempDir()}
		var paths []string
		for i := range 1 + w.IntN(3) {
			path := filepath.Join(w.folder, fmt.Sprint("d", i), "config")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "file"), []byte("x"), 0o600))
			require.NoError(t, os.WriteFile(path, []byte(w.text()), 0o600))
			paths = append(paths, path)
		}
		t.Setenv("KUBECONFIG", strings.Join(paths, string(filepath.ListSeparator)))
		for _, context := range []string{"", "a", "b", "c"} {
			if sameKubeconfig(t, fmt.Sprintf("seed %d context %q", seed, context), context) {
				used++
			}
		}
	}
	require.Greater(t, used, 2*rounds, "too few of the random files are valid")
}

// stricter reports whether err is one that client-go does not have: a context with
// a user that does not exist has no user in client-go, and client-go drops TLS
// settings and credentials of a server without https.
func stricter(err error) bool {
	return strings.Contains(err.Error(), "the user ") || strings.Contains(err.Error(), "add https://")
}

// sameKubeconfig reports whether there was a config to compare.
func sameKubeconfig(t *testing.T, name, context string) bool {
	t.Helper()
	theirs := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{Precedence: filepath.SplitList(os.Getenv("KUBECONFIG"))},
		&clientcmd.ConfigOverrides{CurrentContext: context})
	want, wantErr := theirs.ClientConfig()
	got, gotErr := kubeconfig.Load(kubeconfig.Options{Context: context})
	if gotErr != nil && wantErr == nil && stricter(gotErr) {
		return false
	}
	if wantErr != nil && gotErr == nil && !strings.HasPrefix(got.Config.Host, "https:") {
		return false // client-go also validates settings that it does not use with http
	}
	if wantErr != nil || gotErr != nil {
		require.Equal(t, wantErr != nil, gotErr != nil, "%s: client-go: %v; thinformer: %v", name, wantErr, gotErr)
		return false
	}
	namespace, _, err := theirs.Namespace()
	require.NoError(t, err, name)
	require.Equal(t, namespace, got.Namespace, name)
	require.Equal(t, ofClientGo(t, want), ofThinformer(t, got.Config), name)
	return true
}

// meaning describes both kinds of config in the same form.
type meaning struct {
	Host, Token, TokenFile, Username, Password string
	Proxy, ServerName, CA, Cert, Key           string
	Insecure, DisableCompression               bool
	As, AsUID, AsGroups, AsExtra, Exec         string
}

func ofClientGo(t *testing.T, c *clientgo.Config) meaning {
	m := meaning{
		Host: c.Host, Token: c.BearerToken, TokenFile: c.BearerTokenFile, Username: c.Username, Password: c.Password,
		Proxy: proxyOf(t, c.Proxy), ServerName: c.ServerName, CA: c.CAFile + string(c.CAData), Cert: c.CertFile + string(c.CertData), Key: c.KeyFile + string(c.KeyData),
		Insecure: c.Insecure, DisableCompression: c.DisableCompression,
		As: c.Impersonate.UserName, AsUID: c.Impersonate.UID, AsGroups: fmt.Sprint(c.Impersonate.Groups), AsExtra: fmt.Sprint(c.Impersonate.Extra),
	}
	// client-go reads the file at once; thinformer on first use.
	if m.TokenFile != "" && m.Token == "x" {
		m.Token = ""
	}
	// client-go ignores a plugin that is not needed when it builds the transport.
	if e := c.ExecProvider; e != nil && m.Token+m.TokenFile+m.Username+m.Cert == "" {
		m.Exec = fmt.Sprint(e.Command, e.Args, e.APIVersion, e.ProvideClusterInfo, e.InteractiveMode)
		for _, variable := range e.Env {
			m.Exec += variable.Name + "=" + variable.Value
		}
	}
	return m
}

func ofThinformer(t *testing.T, c *rest.Config) meaning {
	m := meaning{
		Host: c.Host, Token: c.BearerToken, TokenFile: c.BearerTokenFile, Username: c.Username, Password: c.Password,
		Proxy: proxyOf(t, c.Proxy), ServerName: c.TLS.ServerName, CA: c.TLS.CAFile + string(c.TLS.CAData), Cert: c.TLS.CertFile + string(c.TLS.CertData), Key: c.TLS.KeyFile + string(c.TLS.KeyData),
		Insecure: c.TLS.Insecure, DisableCompression: c.DisableCompression,
		As: c.Impersonate.UserName, AsUID: c.Impersonate.UID, AsGroups: fmt.Sprint(c.Impersonate.Groups), AsExtra: fmt.Sprint(c.Impersonate.Extra),
	}
	if e := c.Exec; e != nil {
		m.Exec = fmt.Sprint(e.Command, e.Args, e.APIVersion, e.ProvideClusterInfo, e.Interactive)
		for _, variable := range e.Env {
			m.Exec += variable.Name + "=" + variable.Value
		}
	}
	return m
}

func proxyOf(t *testing.T, proxy func(*http.Request) (*url.URL, error)) string {
	if proxy == nil {
		return ""
	}
	at, err := proxy(&http.Request{})
	require.NoError(t, err)
	return at.String()
}

// kubeconfigWriter generates files that are mostly valid.
type kubeconfigWriter struct {
	*rand.Rand
	folder string
}

// mostly is true nine times out of ten.
func (w kubeconfigWriter) mostly() bool { return w.IntN(10) > 0 }

func (w kubeconfigWriter) one(of ...string) string { return of[w.IntN(len(of))] }

func (w kubeconfigWriter) text() string {
	var b strings.Builder
	if w.mostly() {
		fmt.Fprintf(&b, "current-context: %s\n", w.one("a", "b", "c"))
	}
	w.entries(&b, "contexts", "context", func() []string {
		fields := []string{"cluster: " + w.one("a", "b", "c"), "user: " + w.one("a", "b", "c")}
		return append(fields, w.some("namespace: work")...)
	})
	w.entries(&b, "clusters", "cluster", w.cluster)
	w.entries(&b, "users", "user", w.user)
	return b.String()
}

func (w kubeconfigWriter) entries(b *strings.Builder, list, field string, fields func() []string) {
	fmt.Fprintf(b, "%s:\n", list)
	for _, name := range []string{"a", "b", "c", "d"} {
		if w.mostly() {
			fmt.Fprintf(b, "- name: %s\n  %s: {%s}\n", name, field, strings.Join(fields(), ", "))
		}
	}
}

// some returns each field with a probability of one half.
func (w kubeconfigWriter) some(fields ...string) (some []string) {
	for _, field := range fields {
		if w.IntN(2) == 0 {
			some = append(some, field)
		}
	}
	return some
}

func (w kubeconfigWriter) cluster() []string {
	fields := []string{w.one(`server: "https://host:6443"`, `server: "https://other"`, `server: "https://third:1"`, `server: "https://host:6443/base"`, `server: "http://host"`, `server: "host:6443"`)}
	fields = append(fields, w.some("tls-server-name: other", "disable-compression: true", "unknown: [1, 2]")...)
	fields = append(fields, w.one("insecure-skip-tls-verify: true", "certificate-authority: file", "certificate-authority: ../d0/file", "certificate-authority-data: Y2E=", "x: y"))
	return append(fields, w.one(`proxy-url: "socks5://proxy:1"`, `proxy-url: "http://proxy"`, "y: z"))
}

func (w kubeconfigWriter) user() []string {
	fields := w.some("as: them, as-uid: id, as-groups: [g, h], as-user-extra: {k: [v]}")
	if w.mostly() {
		return append(fields, w.one("token: t", "tokenFile: file", "username: me, password: p", "client-certificate: file, client-key-data: a2V5",
			"exec: {command: ./plugin, args: [a], env: [{name: NAME, value: v}], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}"))
	}
	fields = append(fields, w.one("token: t", "tokenFile: file", "token: t, tokenFile: file", "username: me, password: p", "token: t, username: me", "x: y", "tokenFile: missing"))
	if w.IntN(3) == 0 {
		fields = append(fields, w.one("client-certificate: file", "client-certificate-data: Y3J0"))
		fields = append(fields, w.one("client-key: file", "client-key-data: a2V5", "client-key: missing", "y: z"))
	}
	if w.IntN(3) == 0 {
		fields = append(fields, "exec: {command: "+w.one("plugin", "./plugin", "/plugin", `""`)+
			", args: [a, b], env: [{name: NAME, value: v}], provideClusterInfo: "+w.one("true", "false")+
			", interactiveMode: "+w.one("Never", "Always", "Wrong")+", apiVersion: client.authentication.k8s.io/"+w.one("v1", "v1beta1")+"}")
	}
	return fields
}
