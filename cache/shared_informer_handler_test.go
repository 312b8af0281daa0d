package cache

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
)

// panicOn returns a handler that panics on one object.
func panicOn(handler *recorder, object string) ResourceEventHandler {
	return ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if describe(obj) == object {
			panic("handler panic on " + object)
		}
		handler.OnAdd(obj, false)
	}}
}

// If panics do not end the process, a panic skips only its notification. The
// handler syncs and continues.
func TestReportedPanicSkipsItsNotification(t *testing.T) {
	defer func(crash bool) { utilruntime.ReallyCrash = crash }(utilruntime.ReallyCrash)
	utilruntime.ReallyCrash = false
	synctest.Test(t, func(t *testing.T) {
		logs := &logRecorder{}
		logger := logs.logger()
		source := newFakeSource("1", "a@1")
		i := NewSharedInformer(source, nil, 0)
		handler := &recorder{}
		handle, err := i.AddEventHandlerWithOptions(panicOn(handler, "a@1"), HandlerOptions{Logger: &logger})
		require.NoError(t, err)
		defer run(t, i)()
		source.send(watch.Added, newObject("b@2"))
		require.Equal(t, []string{"add b@2"}, handler.take())
		require.True(t, handle.HasSynced())
		require.Contains(t, logs.String(), "handler panic on a@1")
	})
}

const crashVariable = "THINFORMER_TEST_CRASH"

// By default a panic of a handler ends the process.
func TestHandlerPanicEndsTheProcess(t *testing.T) {
	if os.Getenv(crashVariable) != "" {
		i := NewSharedInformer(newFakeSource("1", "a@1"), nil, 0)
		_, err := i.AddEventHandler(panicOn(&recorder{}, "a@1"))
		require.NoError(t, err)
		i.RunWithContext(klog.NewContext(context.Background(), klog.Logger{}))
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestHandlerPanicEndsTheProcess$")
	child.Env = append(os.Environ(), crashVariable+"=1")
	output, err := child.CombinedOutput()
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "%v\n%s", err, output)
	require.Equal(t, 2, exit.ExitCode(), "%s", output)
	require.Contains(t, string(output), "panic: handler panic on a@1")
	require.Contains(t, string(output), "panicOn", "the stack of the panic")
}
