package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pluginPlay names what this test's own program plays when it runs as a plugin.
const pluginPlay = "THINFORMER_TEST_PLUGIN"

// TestPlugin is the plugin of the tests below. Run by itself it does nothing.
func TestPlugin(t *testing.T) {
	info := os.Getenv("KUBERNETES_EXEC_INFO")
	switch play := os.Getenv(pluginPlay); play {
	case "":
		return
	case "tell":
		// What it was told comes back as the token.
		token, err := json.Marshal(struct{ Info, Extra string }{info, os.Getenv("EXTRA")})
		if err != nil {
			os.Exit(9)
		}
		answer, _ := json.Marshal(map[string]any{"apiVersion": execV1, "kind": execKind, "status": map[string]any{"token": string(token)}})
		fmt.Print(string(answer))
	case "fail":
		fmt.Print("SECRET on its output")
		fmt.Fprint(os.Stderr, "please log in")
		os.Exit(3)
	case "flood":
		fmt.Print(strings.Repeat("SECRET", maxCredentialBytes/6+1))
	case "hang":
		fmt.Fprint(os.Stderr, "hanging")
		select {}
	case "file":
		answer, err := os.ReadFile(os.Getenv("ANSWER"))
		if err != nil {
			os.Exit(8)
		}
		fmt.Print(string(answer))
	}
	os.Exit(0)
}

func pluginConfig(play string, env ...ExecEnv) *ExecConfig {
	return &ExecConfig{
		Command: os.Args[0], Args: []string{"-test.run=^TestPlugin$"}, APIVersion: execV1,
		// Under the race detector a program waits for a second before it ends.
		Env: append([]ExecEnv{{pluginPlay, play}, {"GORACE", "atexit_sleep_ms=0"}}, env...),
	}
}

// program is a plugin as a connection would run it, without a terminal.
func program(t *testing.T, config *Config) (*execProgram, *bytes.Buffer) {
	require.NoError(t, config.Exec.validate())
	stderr := new(bytes.Buffer)
	return &execProgram{config: config, base: &url.URL{Scheme: "https", Host: "server:6443", Path: "/base"}, stderr: stderr}, stderr
}

func TestAPluginIsToldByTheProtocol(t *testing.T) {
	folder := t.TempDir()
	caFile := filepath.Join(folder, "ca.crt")
	write(t, caFile, []byte("authorities"))
	proxied := func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy:3128") }
	clusterConfig := []byte(`{"apiVersion":"example.org/v1","audience":"x"}`)
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"without the cluster": {func(*Config) {}, `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}}`},
		"with the cluster": {func(c *Config) { c.Exec.ProvideClusterInfo = true },
			`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":{"server":"https://server:6443/base"},"interactive":false}}`},
		"with all of it": {func(c *Config) {
			c.Exec.ProvideClusterInfo, c.Exec.Config = true, clusterConfig
			c.TLS, c.Proxy, c.DisableCompression = TLSConfig{CAFile: caFile, ServerName: "name"}, proxied, true
		}, `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":{"server":"https://server:6443/base","tls-server-name":"name",` +
			`"certificate-authority-data":"YXV0aG9yaXRpZXM=","proxy-url":"http://proxy:3128","disable-compression":true,` +
			`"config":{"apiVersion":"example.org/v1","audience":"x"}},"interactive":false}}`},
		"insecure": {func(c *Config) { c.Exec.ProvideClusterInfo, c.TLS.Insecure = true, true },
			`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":{"server":"https://server:6443/base","insecure-skip-tls-verify":true},"interactive":false}}`},
	} {
		config := &Config{Exec: pluginConfig("tell", ExecEnv{"EXTRA", "set"})}
		c.change(config)
		plugin, _ := program(t, config)
		made, err := plugin.run(t.Context())
		require.NoError(t, err, name)
		var told struct{ Info, Extra string }
		require.NoError(t, json.Unmarshal([]byte(made.token), &told))
		require.JSONEq(t, c.want, told.Info, name)
		require.Equal(t, "set", told.Extra)
	}
}

func TestAPluginThatFailsIsAnErrorWithoutItsOutput(t *testing.T) {
	plugin, stderr := program(t, &Config{Exec: pluginConfig("fail")})
	_, err := plugin.run(t.Context())
	require.ErrorContains(t, err, "credential plugin "+os.Args[0])
	require.ErrorContains(t, err, "exit code 3")
	require.NotContains(t, err.Error(), "SECRET")
	require.Equal(t, "please log in", stderr.String())

	plugin, _ = program(t, &Config{Exec: pluginConfig("flood")})
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "larger than")
	require.NotContains(t, err.Error(), "SECRET")

	config := &Config{Exec: &ExecConfig{Command: "no-such-plugin", APIVersion: execV1, InstallHint: "get it at example.org"}}
	plugin, _ = program(t, config)
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "credential plugin no-such-plugin")
	require.ErrorContains(t, err, "not found")
	require.ErrorContains(t, err, "get it at example.org")

	config = &Config{Exec: pluginConfig("tell"), TLS: TLSConfig{CAFile: "/nowhere"}}
	config.Exec.ProvideClusterInfo = true
	plugin, _ = program(t, config)
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "/nowhere")

	config = &Config{Exec: pluginConfig("tell")}
	config.Exec.Interactive = execAlways
	plugin, _ = program(t, config)
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "not a terminal")
}

func TestAPluginIsKilledWhenNobodyWaitsForItAnyMore(t *testing.T) {
	plugin, _ := program(t, &Config{Exec: pluginConfig("hang")})
	ctx, cancel := context.WithCancel(t.Context())
	plugin.stderr = writer(func() { cancel() })
	_, err := plugin.run(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// writer calls a function when something is written to it.
type writer func()

func (w writer) Write(p []byte) (int, error) { w(); return len(p), nil }

func TestANullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	require.False(t, isTerminal(null))
	require.False(t, isTerminal(nil))
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer file.Close()
	require.False(t, isTerminal(file))
}

func TestAnAnswerIsReadOrRefusedWithoutBeingShown(t *testing.T) {
	ca := newAuthority(t, "ca")
	cert, key := ca.issue("client")
	_, otherKey := ca.issue("other")
	answer := func(version, kind string, status map[string]any) string {
		return string(must(json.Marshal(map[string]any{"apiVersion": version, "kind": kind, "status": status})))
	}
	expires := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	made, err := readAnswer([]byte(answer(execV1, execKind, map[string]any{
		"token": "t", "clientCertificateData": string(cert), "clientKeyData": string(key), "expirationTimestamp": expires.Format(time.RFC3339),
	})), execV1)
	require.NoError(t, err)
	require.Equal(t, "t", made.token)
	require.NotNil(t, made.certificate)
	require.True(t, expires.Equal(made.expires))
	made, err = readAnswer([]byte(answer(execV1beta1, execKind, map[string]any{"token": "t"})), execV1beta1)
	require.NoError(t, err)
	require.True(t, made.expires.IsZero())

	for name, c := range map[string]struct{ output, why string }{
		"nothing":         {"", "not an ExecCredential in JSON"},
		"a token alone":   {"SECRET", "not an ExecCredential in JSON"},
		"a number":        {`{"status":{"token":5EC1237}}`, "not an ExecCredential"},
		"a wrong time":    {answer(execV1, execKind, map[string]any{"token": "t", "expirationTimestamp": "SECRET"}), "not an ExecCredential"},
		"another kind":    {answer(execV1, "SECRET", map[string]any{"token": "t"}), "another kind"},
		"another version": {answer(execV1beta1, execKind, map[string]any{"token": "t"}), "asked for, client.authentication.k8s.io/v1, but client.authentication.k8s.io/v1beta1"},
		"no version":      {answer("SECRET", execKind, map[string]any{"token": "t"}), "asked for, client.authentication.k8s.io/v1"},
		"no status":       {`{"apiVersion":"` + execV1 + `","kind":"ExecCredential","token":"SECRET"}`, "no status"},
		"no credentials":  {answer(execV1, execKind, map[string]any{"password": "SECRET"}), "neither a token nor"},
		"no key":          {answer(execV1, execKind, map[string]any{"clientCertificateData": "SECRET"}), "only one of"},
		"no pair": {answer(execV1, execKind, map[string]any{"clientCertificateData": string(cert), "clientKeyData": string(otherKey)}),
			"not a pair"},
		"line in the token": {answer(execV1, execKind, map[string]any{"token": "SECRET\r\nX: y"}), "header"},
	} {
		_, err := readAnswer([]byte(c.output), execV1)
		require.ErrorContains(t, err, c.why, name)
		require.NotContains(t, err.Error(), "SECRET", name)
		require.NotContains(t, err.Error(), "5EC1237", name)
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t","expirationTimestamp":"2030-01-02T03:04:05Z"}}`))
	f.Add([]byte(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"clientCertificateData":"x","clientKeyData":"y"}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, output []byte) {
		made, err := readAnswer(output, execV1)
		if err == nil && made.token == "" && made.certificate == nil {
			t.Fatal("neither credentials nor an error")
		}
		if err == nil && !fitsHeader(made.token) {
			t.Fatal("a token that cannot be sent")
		}
		if err != nil && len(output) > 8 && strings.Contains(err.Error(), string(output)) {
			t.Fatal("the error shows the output")
		}
	})
}

func TestARequestIsSentWithWhatThePluginHandsOut(t *testing.T) {
	ca := newAuthority(t, "ca")
	right := "first"
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+right {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, commonName(r))
	})
	path := filepath.Join(t.TempDir(), "answer")
	hand := func(token, name string) {
		status := map[string]any{"token": token}
		if name != "" {
			cert, key := ca.issue(name)
			status["clientCertificateData"], status["clientKeyData"] = string(cert), string(key)
		}
		write(t, path, must(json.Marshal(map[string]any{"apiVersion": execV1, "kind": execKind, "status": status})))
	}
	ownCert, ownKey := ca.issue("own")
	conn := connected(t, Config{
		Host: server.URL, TLS: TLSConfig{CAData: ca.pem, CertData: ownCert, KeyData: ownKey},
		Exec: pluginConfig("file", ExecEnv{"ANSWER", path}),
	})
	hand("first", "client-1")
	_, who := get(t, conn, "/")
	require.Equal(t, "client-1", who)
	right = "second"
	hand("second", "client-2")
	_, who = get(t, conn, "/") // a 401 first
	require.Equal(t, "client-2", who)
	right = "third"
	hand("third", "")
	_, who = get(t, conn, "/")
	require.Equal(t, "own", who, "the plugin's certificate is gone, and the config's is there again")
}

func TestACertificateNeedsATransportThatShowsIt(t *testing.T) {
	cert, key := newAuthority(t, "ca").issue("client")
	path := filepath.Join(t.TempDir(), "answer")
	write(t, path, must(json.Marshal(map[string]any{"apiVersion": execV1, "kind": execKind,
		"status": map[string]any{"clientCertificateData": string(cert), "clientKeyData": string(key)}})))
	conn := connected(t, Config{Host: "https://server", Transport: &doorman{}, Exec: pluginConfig("file", ExecEnv{"ANSWER", path})})
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorIs(t, err, errNoPlaceForCertificate)
}

func TestCloseEndsAPlugin(t *testing.T) {
	conn := connected(t, Config{Host: "https://server", Transport: &doorman{}, Exec: pluginConfig("hang")})
	started := make(chan struct{})
	credential := conn.credential.(*execCredential)
	inner := credential.fetch
	credential.fetch = func(ctx context.Context) (*issued, error) {
		close(started)
		return inner(ctx)
	}
	failed := make(chan error)
	go func() {
		_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		failed <- err
	}()
	<-started
	go conn.close()
	require.ErrorIs(t, <-failed, ErrClosed)
	conn.close()
}
