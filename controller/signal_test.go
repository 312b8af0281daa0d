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

// asProgram is set for a process that is to be a program with a controller, and
// not a test.
const asProgram = "CONTROLLER_TEST_IS_A_PROGRAM"

// TestProgram is nothing by itself: the other tests of this file run it in a
// process of its own, where it is a program. Its reconcile waits for a byte.
func TestProgram(t *testing.T) {
	if os.Getenv(asProgram) == "" {
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
	(&scene{t: t, srv: srv}).create("a")
	err = controller.Run(t.Context(), controller.RunOptions{Factory: factory, Serve: controller.HTTP{
		Address:   "127.0.0.1:0",
		Listening: func(at net.Addr) { fmt.Println("listening", at) },
	}}, c)
	fmt.Println("ended with", err)
}

// process is a program that reconciles.
type process struct {
	*exec.Cmd
	lines   *bufio.Scanner
	address string
	// release lets the reconcile end.
	release func()
}

func startProcess(t *testing.T) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], "-test.run=^TestProgram$")}
	p.Env = append(os.Environ(), asProgram+"=1")
	in, err := p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	p.release = func() { _, _ = in.Write([]byte("\n")) }
	p.lines = bufio.NewScanner(out)
	p.address = strings.TrimPrefix(p.next("listening "), "listening ")
	p.next("reconciling")
	return p
}

// next is the next line that begins so.
func (p *process) next(prefix string) string {
	for p.lines.Scan() {
		if strings.HasPrefix(p.lines.Text(), prefix) {
			return p.lines.Text()
		}
	}
	return ""
}

// notReady waits until the program says that it is stopping.
func (p *process) notReady(t *testing.T) {
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

// SIGTERM and SIGINT stop the program, which finishes what it has begun, and it
// ends as one that has done what it was told.
func TestSignalsStopTheProgram(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			p := startProcess(t)
			require.NoError(t, p.Process.Signal(s))
			p.notReady(t)
			p.release()
			require.Equal(t, "reconciled", p.next("reconciled"))
			require.Equal(t, "ended with <nil>", p.next("ended"))
			require.NoError(t, p.Wait())
		})
	}
}

// A second signal ends the process, whatever it is about.
func TestASecondSignalEndsTheProcess(t *testing.T) {
	p := startProcess(t)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	p.notReady(t)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Empty(t, p.next("reconciled"))
	var exit *exec.ExitError
	require.ErrorAs(t, p.Wait(), &exit)
	require.Equal(t, 128+int(syscall.SIGTERM), exit.ExitCode())
}
