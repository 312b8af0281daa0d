package plane

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/thinformer/thinformer/rest"
)

// Options of a control plane.
type Options struct {
	// Binaries to run. The zero value means those of Build.
	Binaries Binaries
	// Log receives the logs of both servers. The end of the logs is also kept for Plane.Log
	// and for errors.
	Log io.Writer
	// Flags are additional flags of kube-apiserver. They override the default flags.
	Flags []string
}

// Plane is a running control plane.
type Plane struct {
	// URL of the API server: https://127.0.0.1:port.
	URL string
	// CA is the certificate of its authority, in PEM, and CAFile a file with it.
	CA     []byte
	CAFile string
	// Tokens are the bearer tokens of the users.
	Tokens map[User]string
	// Kubeconfig is the path of a kubeconfig with a context for each user, named as the
	// user. The current context is Admin's.
	Kubeconfig string
	// Binaries are the programs, including kubectl.
	Binaries Binaries

	dir             string // of this plane only
	log             io.Writer
	flags           []string
	port            int // of the API server
	guard           *guard
	etcd, apiserver *process
	close           func() error
}

// Start builds missing programs, starts etcd and kube-apiserver and returns when they are
// ready. Its error has the end of their logs. The context is for the start only: the
// servers run until Close or the end of this process.
func Start(ctx context.Context, options Options) (*Plane, error) {
	p := &Plane{Binaries: options.Binaries, log: serialised(options.Log), flags: options.Flags}
	p.close = sync.OnceValue(p.shutDown)
	if p.Binaries == (Binaries{}) {
		built, err := Build(ctx)
		if err != nil {
			return nil, err
		}
		p.Binaries = built
	}
	if err := p.start(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Plane) start(ctx context.Context) (err error) {
	if p.dir, err = os.MkdirTemp("", "thinformer-e2e-"); err != nil {
		return fmt.Errorf("create a folder for the control plane: %w", err)
	}
	if socket := p.file("peers.sock"); len(socket) > longestSocket {
		return fmt.Errorf("create a folder for the control plane: %s is longer than the %d bytes that the name of a socket may have; set TMPDIR to a shorter one", socket, longestSocket)
	}
	if p.guard, err = startGuard(p.dir); err != nil {
		return err
	}
	if p.CA, p.Tokens, err = writeCredentials(p.dir); err != nil {
		return err
	}
	p.CAFile = p.file(caFile)
	if err := p.startEtcd(); err != nil {
		return err
	}
	if err := p.startAPIServer(ctx); err != nil {
		return err
	}
	return p.writeKubeconfig()
}

// longestSocket is the maximum length of the path of a unix socket on every system.
const longestSocket = 103

func (p *Plane) file(name string) string { return filepath.Join(p.dir, name) }

// run starts a server that the guard watches.
func (p *Plane) run(program, name string, flags ...string) (*process, error) {
	cmd := exec.Command(program, flags...)
	cmd.Dir = p.dir
	cmd.Env = environment()
	server, err := startProcess(cmd, name, &tail{also: p.log})
	if err != nil {
		return nil, err
	}
	if err := p.guard.watch(server); err != nil {
		server.kill()
		return nil, err
	}
	return server, nil
}

// environment returns the environment of this process without the variables that configure
// the servers.
func environment() (kept []string) {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(name, "ETCD_") && !strings.HasPrefix(name, "KUBE") && !strings.HasSuffix(strings.ToLower(name), "_proxy") {
			kept = append(kept, setting)
		}
	}
	return kept
}

// startEtcd starts etcd on a socket in the plane's folder. Other processes cannot take the
// socket or connect to it by accident.
func (p *Plane) startEtcd() (err error) {
	peers := "unix://" + p.file("peers.sock")
	p.etcd, err = p.run(p.Binaries.Etcd, "etcd",
		"--name=e2e",
		"--data-dir="+p.file("etcd"),
		"--listen-client-urls="+p.store(),
		"--advertise-client-urls="+p.store(),
		"--listen-peer-urls="+peers,
		"--initial-advertise-peer-urls="+peers,
		"--initial-cluster=e2e="+peers,
		"--unsafe-no-fsync",
		"--log-level=warn",
	)
	return err
}

func (p *Plane) store() string { return "unix://" + p.file("etcd.sock") }

// startAPIServer starts the API server on a free port and waits until it is ready. It
// chooses another port if another process has taken the port in the meantime.
func (p *Plane) startAPIServer(ctx context.Context) (err error) {
	const tries = 3
	for try := 1; ; try++ {
		if p.port, err = freePort(); err != nil {
			return err
		}
		p.URL = fmt.Sprintf("https://127.0.0.1:%d", p.port)
		if err = p.runAPIServer(ctx); try == tries || !errors.Is(err, errPortTaken) {
			return err
		}
		p.apiserver.kill()
	}
}

var errPortTaken = errors.New("its port is taken")

// runAPIServer starts the API server on the chosen port.
func (p *Plane) runAPIServer(ctx context.Context) error {
	server, err := p.run(p.Binaries.APIServer, "kube-apiserver", append(p.apiServerFlags(p.port), p.flags...)...)
	if err != nil {
		return err
	}
	p.apiserver = server
	err = p.waitReady(ctx)
	if err != nil && strings.Contains(server.log.String(), "address already in use") {
		return fmt.Errorf("start kube-apiserver: %w: %w", errPortTaken, err)
	}
	return err
}

func (p *Plane) apiServerFlags(port int) []string {
	return []string{
		"--etcd-servers=" + p.store(),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + p.file(servingCert),
		"--tls-private-key-file=" + p.file(servingKey),
		"--client-ca-file=" + p.file(caFile),
		"--token-auth-file=" + p.file(tokensFile),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + p.file(accountKey),
		"--service-account-key-file=" + p.file(accountKey),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",
		"--disable-admission-plugins=ServiceAccount",
		"--allow-privileged",
	}
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a port for the API server: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (p *Plane) writeKubeconfig() error {
	var text strings.Builder
	err := kubeconfigForm.Execute(&text, map[string]any{
		"URL": p.URL, "CA": base64.StdEncoding.EncodeToString(p.CA), "Tokens": p.Tokens,
	})
	if err == nil {
		p.Kubeconfig = p.file(kubeconfigFile)
		err = os.WriteFile(p.Kubeconfig, []byte(text.String()), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write a kubeconfig: %w", err)
	}
	return nil
}

// Config returns the configuration of a client with a user's token. For an unknown user it
// is anonymous.
func (p *Plane) Config(user User) *rest.Config {
	return &rest.Config{Host: p.URL, TLS: rest.TLSConfig{CAData: p.CA}, BearerToken: p.Tokens[user]}
}

// Log returns the end of the logs of both servers.
func (p *Plane) Log() string {
	var all strings.Builder
	for _, server := range []*process{p.etcd, p.apiserver} {
		if server != nil {
			fmt.Fprintf(&all, "--- %s\n%s", server.name, server.log)
		}
	}
	return all.String()
}

// Ended returns a channel that is closed when the API server has ended.
func (p *Plane) Ended() <-chan struct{} { return p.apiserver.done }

// Close ends both servers and removes all files. It returns when this is done.
func (p *Plane) Close() error { return p.close() }

func (p *Plane) shutDown() error {
	for _, server := range []*process{p.apiserver, p.etcd} {
		if server != nil {
			server.kill()
		}
	}
	var guarded error
	if p.guard != nil {
		guarded = p.guard.end()
	}
	if p.dir == "" {
		return nil
	}
	if err := errors.Join(guarded, os.RemoveAll(p.dir)); err != nil {
		return fmt.Errorf("clean up after the control plane: %w", err)
	}
	return nil
}

// serialised is a writer that two servers can use at the same time.
func serialised(log io.Writer) io.Writer {
	if log == nil {
		return nil
	}
	return &lockedWriter{to: log}
}

type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

// Write forwards one write at a time.
func (w *lockedWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(text)
}
