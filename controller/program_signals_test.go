//go:build unix

package controller_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// programEnv is the environment variable that makes TestProgram run a program.
const programEnv = "CONTROLLER_TEST_IS_A_PROGRAM"

// TestProgram does nothing unless programEnv is set. The other tests of this file run it
// in another process, as a program whose reconcile waits for a byte from stdin.
func TestProgram(t *testing.T) {
	if os.Getenv(programEnv) == "" {
		return
	}
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	defer client.Close()
	factory := informer.NewFactory(informer.FactoryOptions{})
	maps := informer.For(factory, rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		fmt.Println("reconciling")
		_, err := os.Stdin.Read(make([]byte, 1))
		fmt.Println("reconciled")
		return controller.Result{}, errors.Join(err, ctx.Err())
	}), controller.Options{})
	controller.For(c, maps)
	(&testProgram{t: t, srv: srv}).create("a")
	err = controller.Run(t.Context(), controller.RunOptions{Factory: factory, Serve: controller.HTTP{
		Address:  "127.0.0.1:0",
		OnListen: func(at net.Addr) { fmt.Println("listening", at) },
	}}, c)
	fmt.Println("ended with", err)
}

// process is a running program with a reconcile in progress.
type process struct {
	*exec.Cmd
	lines   *bufio.Scanner
	address string
	// release ends the reconcile.
	release func()
}

func startProcess(t *testing.T) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], "-test.run=^TestProgram$")}
	p.Env = append(os.Environ(), programEnv+"=1")
	stdin, err := p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	p.release = func() { _, _ = stdin.Write([]byte("\n")) }
	p.lines = bufio.NewScanner(out)
	p.address = strings.TrimPrefix(p.nextLine("listening "), "listening ")
	p.nextLine("reconciling")
	return p
}

// nextLine returns the next line of output with the prefix, "" if there is none.
func (p *process) nextLine(prefix string) string {
	for p.lines.Scan() {
		if strings.HasPrefix(p.lines.Text(), prefix) {
			return p.lines.Text()
		}
	}
	return ""
}

// waitUntilStopping waits until /readyz reports that the program is stopping.
func (p *process) waitUntilStopping(t *testing.T) {
	t.Helper()
	for {
		response, err := http.Get("http://" + p.address + "/readyz")
		require.NoError(t, err)
		response.Body.Close()
		if response.StatusCode == http.StatusServiceUnavailable {
			break
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// SIGTERM and SIGINT stop the program. It finishes the reconcile and exits with code 0.
func TestSignalsStopTheProgram(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			p := startProcess(t)
			require.NoError(t, p.Process.Signal(s))
			p.waitUntilStopping(t)
			p.release()
			require.Equal(t, "reconciled", p.nextLine("reconciled"))
			require.Equal(t, "ended with <nil>", p.nextLine("ended"))
			require.NoError(t, p.Wait())
		})
	}
}

// A second signal ends the process at once.
func TestSecondSignalEndsTheProcess(t *testing.T) {
	p := startProcess(t)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	p.waitUntilStopping(t)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Empty(t, p.nextLine("reconciled"))
	var exit *exec.ExitError
	require.ErrorAs(t, p.Wait(), &exit)
	require.Equal(t, 128+int(syscall.SIGTERM), exit.ExitCode())
}
