package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		os.Exit(code)
	}))
}

// program is a run of the command.
type program struct {
	banner, url string
	// stop interrupts it and returns its last output.
	stop func() string
}

func startProgram(t *testing.T, args ...string) program {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append(args, "-address", "127.0.0.1:0"), write)
		write.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewReader(read)
	var p program
	for !strings.Contains(p.banner, "kubectl") {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		p.banner += line
	}
	p.url = regexp.MustCompile(`rewriting at (\S+),`).FindStringSubmatch(p.banner)[1]
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(lines)
		rest <- string(text)
	}()
	p.stop = func() string {
		interrupt()
		text := <-rest
		require.NoError(t, <-ended)
		return strings.TrimPrefix(text, "\n")
	}
	return p
}

// block returns the first fenced block of the README that contains a string.
func block(t *testing.T, with string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, fenced := range regexp.MustCompile("(?s)```\\w*\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		if strings.Contains(fenced[1], with) {
			return fenced[1]
		}
	}
	t.Fatalf("the README has no block with %q", with)
	return ""
}

// The commands in the README work, and their output is the one in the README.
func TestOutputMatchesReadme(t *testing.T) {
	p := startProgram(t)
	shown := strings.ReplaceAll(p.banner, p.url, "http://127.0.0.1:8002")
	shown = regexp.MustCompile(`https://127\.0\.0\.1:\d+`).ReplaceAllString(shown, "https://127.0.0.1:6443")
	require.Equal(t, block(t, "rewriting at"), shown)

	subsets := func(line string) string { return regexp.MustCompile(`"subsets":.*`).FindString(line) }
	direct := regexp.MustCompile(`https://127\.0\.0\.1:\d+`).FindString(p.banner)
	insecure := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer insecure.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), "GET", direct+"/api/v1/namespaces/default/endpoints/web", nil)
	require.NoError(t, err)
	response, err := insecure.RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, strings.TrimSpace(block(t, "10.1.0.4")), strings.TrimSpace(subsets(text(t, response))))
	rewritten := text(t, send(t, "GET", p.url+"/api/v1/namespaces/default/endpoints/web", ""))
	require.Equal(t, strings.TrimSpace(block(t, `{"ip":"192.0.2.1"}`)), strings.TrimSpace(subsets(rewritten)))

	// An open watch does not prevent it from stopping.
	watched := send(t, "GET", p.url+"/api/v1/endpoints?watch=1", "")
	_, err = bufio.NewReader(watched.Body).ReadString('\n')
	require.NoError(t, err)
	last := p.stop()
	require.Contains(t, last, "GET /api/v1/namespaces/default/endpoints/web: 200, 1 of 1 objects rewritten\n")
	require.Contains(t, last, "GET /api/v1/endpoints: 200, 1 of 1 objects rewritten\n")
}

// The README lists the program's flags.
func TestReadmeListsTheFlags(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var help strings.Builder
	require.True(t, errors.Is(run(t.Context(), []string{"-h"}, &help), flag.ErrHelp))
	for _, name := range regexp.MustCompile(`(?m)^  (-[a-z-]+)`).FindAllStringSubmatch(help.String(), -1) {
		require.Contains(t, string(readme), "`"+name[1], "the README does not list the flag")
	}
}

// With a certificate it speaks HTTP/2, without one also with prior knowledge; to the
// server it speaks the best protocol that the server offers.
func TestProtocols(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	apitest.Create(t, srv, web("10.1.0.4"))
	kubeconfig := clustertest.Kubeconfig(t, srv)
	cert, key, roots := certificate(t)

	secure := startProgram(t, "-kubeconfig", kubeconfig, "-cert", cert, "-key", key)
	plain := startProgram(t, "-kubeconfig", kubeconfig)
	require.True(t, strings.HasPrefix(secure.url, "https://"))
	var h2c http.Protocols
	h2c.SetUnencryptedHTTP2(true)
	for _, c := range []struct {
		url       string
		transport *http.Transport
		want      string
	}{
		{secure.url, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}, "HTTP/2.0"},
		{secure.url, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}}}, "HTTP/1.1"},
		{plain.url, &http.Transport{Protocols: &h2c}, "HTTP/2.0"},
		{plain.url, &http.Transport{}, "HTTP/1.1"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", c.url+"/api/v1/endpoints?watch=1", nil)
		require.NoError(t, err)
		response, err := c.transport.RoundTrip(request)
		require.NoError(t, err)
		require.Equal(t, c.want, response.Proto)
		event, err := bufio.NewReader(response.Body).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, event, "192.0.2.1")
		response.Body.Close()
		c.transport.CloseIdleConnections()
	}
	secure.stop()
	plain.stop()
}

// certificate writes the certificate of httptest, valid for 127.0.0.1, to files.
func certificate(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	holder := httptest.NewTLSServer(nil)
	defer holder.Close()
	pair := holder.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	cert, key = filepath.Join(t.TempDir(), "cert"), filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	roots = x509.NewCertPool()
	roots.AddCert(holder.Certificate())
	return cert, key, roots
}

// With -clients-credentials it does not use the credentials of the kubeconfig; the
// server authorizes the clients.
func TestClientsCredentials(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{Tokens: map[string]apitest.User{
		"test":  {Name: "proxy", Groups: []string{"system:masters"}},
		"alice": {Name: "alice", Groups: []string{"system:masters"}},
	}})
	defer srv.Close()
	apitest.Create(t, srv, web("10.1.0.4"))
	p := startProgram(t, "-kubeconfig", clustertest.Kubeconfig(t, srv), "-clients-credentials")
	for token, want := range map[string]int{"Bearer alice": 200, "Bearer bob": 401, "": 403} {
		var header []string
		if token != "" {
			header = []string{"Authorization", token}
		}
		require.Equal(t, want, send(t, "GET", p.url+"/api/v1/endpoints", "", header...).StatusCode, token)
	}
	p.stop()
}

// Wrong arguments are reported in one line.
func TestInvalidArguments(t *testing.T) {
	unreachable := httptest.NewServer(nil)
	unreachable.Close()
	away := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(away, []byte(`apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "`+unreachable.URL+`"}}]
users: [{name: u, user: {}}]
`), 0o600))
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:                          {"x"},
		"flag provided but not defined: -nonsense":                 {"-nonsense"},
		`invalid value "nowhere" for flag -route`:                  {"-route", "nowhere"},
		"-cert and -key must be used together":                     {"-cert", "c.pem"},
		"-address :8002 is not a loopback address: every client":   {"-address", ":8002"},
		"-address 10.0.0.1:8002 is not a loopback address: tokens": {"-address", "10.0.0.1:8002", "-clients-credentials"},
		"listen tcp: address 127.0.0.1: missing port":              {"-address", "127.0.0.1"},
		"open absent.pem": {"-address", "127.0.0.1:0", "-cert", "absent.pem", "-key", "absent.pem"},
		"absent":          {"-kubeconfig", filepath.Join(t.TempDir(), "absent")},
		"read the version of the server at " + unreachable.URL: {"-kubeconfig", away},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
}
