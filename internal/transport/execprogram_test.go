package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

// pluginBehaviorEnv selects the behavior of the test binary when it runs as a plugin.
const pluginBehaviorEnv = "THINFORMER_TEST_PLUGIN"

// TestPlugin is the plugin of the tests below. Run as a test, it does nothing.
func TestPlugin(t *testing.T) {
	info := os.Getenv("KUBERNETES_EXEC_INFO")
	switch play := os.Getenv(pluginBehaviorEnv); play {
	case "":
		return
	case "echo":
		// The plugin returns its input as the token.
		token, err := json.Marshal(struct{ Info, Extra string }{info, os.Getenv("EXTRA")})
		if err != nil {
			os.Exit(9)
		}
		answer, _ := json.Marshal(map[string]any{"apiVersion": ExecV1, "kind": execKind, "status": map[string]any{"token": string(token)}})
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
	case "parent":
		child := exec.Command(os.Args[0], "-test.run=^TestPlugin$")
		child.Env = append(os.Environ(), pluginBehaviorEnv+"=child")
		child.Stdout = os.Stdout
		if child.Start() != nil {
			os.Exit(7)
		}
		if os.Getenv("LEAVES") == "" {
			select {}
		}
	case "child":
		conn, err := net.Dial("tcp", os.Getenv("ADDRESS"))
		if err != nil {
			os.Exit(6)
		}
		_, _ = io.Copy(io.Discard, conn) // until the test ends
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
		Command: os.Args[0], Args: []string{"-test.run=^TestPlugin$"}, APIVersion: ExecV1,
		// With the race detector, a program waits for a second before it exits.
		Env: append([]ExecEnv{{pluginBehaviorEnv, play}, {"GORACE", "atexit_sleep_ms=0"}}, env...),
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// program returns a plugin as a connection runs it, without a terminal.
func program(config *Config) (*execProgram, *bytes.Buffer) {
	config.Base = &url.URL{Scheme: "https", Host: "server:6443", Path: "/base"}
	stderr := new(bytes.Buffer)
	return &execProgram{config: config, stderr: stderr}, stderr
}

func TestAPluginReceivesExecInfo(t *testing.T) {
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
		"with all fields": {func(c *Config) {
			c.Exec.ProvideClusterInfo, c.Exec.Config = true, clusterConfig
			c.TLS, c.Proxy, c.DisableCompression = TLSConfig{CAFile: caFile, ServerName: "name"}, proxied, true
		}, `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":{"server":"https://server:6443/base","tls-server-name":"name",` +
			`"certificate-authority-data":"YXV0aG9yaXRpZXM=","proxy-url":"http://proxy:3128","disable-compression":true,` +
			`"config":{"apiVersion":"example.org/v1","audience":"x"}},"interactive":false}}`},
		"insecure": {func(c *Config) { c.Exec.ProvideClusterInfo, c.TLS.Insecure = true, true },
			`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":{"server":"https://server:6443/base","insecure-skip-tls-verify":true},"interactive":false}}`},
	} {
		config := &Config{Exec: pluginConfig("echo", ExecEnv{"EXTRA", "set"})}
		c.change(config)
		plugin, _ := program(config)
		made, err := plugin.run(t.Context())
		require.NoError(t, err, name)
		var echoed struct{ Info, Extra string }
		require.NoError(t, json.Unmarshal([]byte(made.token), &echoed))
		require.JSONEq(t, c.want, echoed.Info, name)
		require.Equal(t, "set", echoed.Extra)
	}
}

func TestTheErrorOfAPluginDoesNotContainItsOutput(t *testing.T) {
	plugin, stderr := program(&Config{Exec: pluginConfig("fail")})
	_, err := plugin.run(t.Context())
	require.ErrorContains(t, err, "credential plugin "+os.Args[0])
	require.ErrorContains(t, err, "exit code 3")
	require.NotContains(t, err.Error(), "SECRET")
	require.Equal(t, "please log in", stderr.String())

	plugin, _ = program(&Config{Exec: pluginConfig("flood")})
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "larger than")
	require.NotContains(t, err.Error(), "SECRET")

	config := &Config{Exec: &ExecConfig{Command: "no-such-plugin", APIVersion: ExecV1, InstallHint: "get it at example.org"}}
	plugin, _ = program(config)
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "credential plugin no-such-plugin")
	require.ErrorContains(t, err, "not found")
	require.ErrorContains(t, err, "get it at example.org")

	config = &Config{Exec: pluginConfig("echo"), TLS: TLSConfig{CAFile: "/nowhere"}}
	config.Exec.ProvideClusterInfo = true
	plugin, _ = program(config)
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "/nowhere")

	config = &Config{Exec: pluginConfig("echo")}
	config.Exec.Interactive = ExecAlways
	plugin, _ = program(config)
	_, err = plugin.run(t.Context())
	require.ErrorContains(t, err, "not a terminal")
}

func TestAPluginIsKilledWhenNoRequestWaits(t *testing.T) {
	plugin, _ := program(&Config{Exec: pluginConfig("hang")})
	ctx, cancel := context.WithCancel(t.Context())
	plugin.stderr = writer(func() { cancel() })
	_, err := plugin.run(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// writer is a function that is called for each write.
type writer func()

func (w writer) Write(p []byte) (int, error) { w(); return len(p), nil }

func TestTheNullDeviceIsNotATerminal(t *testing.T) {
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

func TestAnInvalidExecCredentialIsRejectedWithoutShowingIt(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	cert, key := ca.Issue("client")
	_, otherKey := ca.Issue("other")
	answer := func(version, kind string, status map[string]any) string {
		return string(must(json.Marshal(map[string]any{"apiVersion": version, "kind": kind, "status": status})))
	}
	expires := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	made, err := parseExecResponse([]byte(answer(ExecV1, execKind, map[string]any{
		"token": "t", "clientCertificateData": string(cert), "clientKeyData": string(key), "expirationTimestamp": expires.Format(time.RFC3339),
	})), ExecV1)
	require.NoError(t, err)
	require.Equal(t, "t", made.token)
	require.NotNil(t, made.certificate)
	require.True(t, expires.Equal(made.expires))
	made, err = parseExecResponse([]byte(answer(ExecV1beta1, execKind, map[string]any{"token": "t"})), ExecV1beta1)
	require.NoError(t, err)
	require.True(t, made.expires.IsZero())

	for name, c := range map[string]struct{ output, why string }{
		"nothing":         {"", "not an ExecCredential in JSON"},
		"a token alone":   {"SECRET", "not an ExecCredential in JSON"},
		"a number":        {`{"status":{"token":5EC1237}}`, "not an ExecCredential"},
		"a wrong time":    {answer(ExecV1, execKind, map[string]any{"token": "t", "expirationTimestamp": "SECRET"}), "not an ExecCredential"},
		"another kind":    {answer(ExecV1, "SECRET", map[string]any{"token": "t"}), "the kind of its output is not"},
		"another version": {answer(ExecV1beta1, execKind, map[string]any{"token": "t"}), "not the requested client.authentication.k8s.io/v1, but client.authentication.k8s.io/v1beta1"},
		"no version":      {answer("SECRET", execKind, map[string]any{"token": "t"}), "not the requested client.authentication.k8s.io/v1"},
		"no status":       {`{"apiVersion":"` + ExecV1 + `","kind":"ExecCredential","token":"SECRET"}`, "no status"},
		"no credentials":  {answer(ExecV1, execKind, map[string]any{"password": "SECRET"}), "neither a token nor"},
		"no key":          {answer(ExecV1, execKind, map[string]any{"clientCertificateData": "SECRET"}), "only one of"},
		"certificate and key do not match": {answer(ExecV1, execKind, map[string]any{"clientCertificateData": string(cert), "clientKeyData": string(otherKey)}),
			"not a PEM key pair"},
		"line in the token": {answer(ExecV1, execKind, map[string]any{"token": "SECRET\r\nX: y"}), "header"},
	} {
		_, err := parseExecResponse([]byte(c.output), ExecV1)
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
		made, err := parseExecResponse(output, ExecV1)
		if err == nil && made.token == "" && made.certificate == nil {
			t.Fatal("neither credentials nor an error")
		}
		if err == nil && !FitsHeader(made.token) {
			t.Fatal("a token that is no valid header value")
		}
		if err != nil && len(output) > 8 && strings.Contains(err.Error(), string(output)) {
			t.Fatal("the error shows the output")
		}
	})
}

func TestARequestUsesTheCredentialsOfThePlugin(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	right := "first"
	server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+right {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, tlstest.CommonName(r))
	})
	path := filepath.Join(t.TempDir(), "answer")
	hand := func(token, name string) {
		status := map[string]any{"token": token}
		if name != "" {
			cert, key := ca.Issue(name)
			status["clientCertificateData"], status["clientKeyData"] = string(cert), string(key)
		}
		write(t, path, must(json.Marshal(map[string]any{"apiVersion": ExecV1, "kind": execKind, "status": status})))
	}
	ownCert, ownKey := ca.Issue("own")
	conn := connected(t, Config{
		Base: address(server.URL), TLS: TLSConfig{CAData: ca.PEM, CertData: ownCert, KeyData: ownKey},
		Exec: pluginConfig("file", ExecEnv{"ANSWER", path}),
	})
	hand("first", "client-1")
	_, subject := get(t, conn, "/")
	require.Equal(t, "client-1", subject)
	right = "second"
	hand("second", "client-2")
	_, subject = get(t, conn, "/") // a 401 first
	require.Equal(t, "client-2", subject)
	right = "third"
	hand("third", "")
	_, subject = get(t, conn, "/")
	require.Equal(t, "own", subject, "the certificate of the config replaces that of the plugin")
}

func TestACertificateOfAPluginRequiresATransportThatUsesIt(t *testing.T) {
	cert, key := tlstest.NewAuthority(t, "ca").Issue("client")
	path := filepath.Join(t.TempDir(), "answer")
	write(t, path, must(json.Marshal(map[string]any{"apiVersion": ExecV1, "kind": execKind,
		"status": map[string]any{"clientCertificateData": string(cert), "clientKeyData": string(key)}})))
	conn := connected(t, Config{Base: address("https://server"), Transport: &tokenServer{}, Exec: pluginConfig("file", ExecEnv{"ANSWER", path})})
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorIs(t, err, errCertificateUnusable)
}

func TestCloseEndsAPlugin(t *testing.T) {
	conn := connected(t, Config{Base: address("https://server"), Transport: &tokenServer{}, Exec: pluginConfig("hang")})
	started := make(chan struct{})
	credential := conn.authenticator.(*execAuthenticator)
	inner := credential.fetch
	credential.fetch = func(ctx context.Context) (*execCredentials, error) {
		close(started)
		return inner(ctx)
	}
	failed := make(chan error)
	go func() {
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		failed <- err
	}()
	<-started
	go conn.Close()
	require.ErrorIs(t, <-failed, ErrClosed)
	conn.Close()
}
