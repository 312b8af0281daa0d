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

// panicsAt is a handler that panics when it is told of one object.
func panicsAt(e *ear, words string) ResourceEventHandler {
	return ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if show(obj) == words {
			panic("the handler of " + words)
		}
		e.OnAdd(obj, false)
	}}
}

// Where panics do not end the process, one costs its notification: the handler is
// synced all the same, and goes on.
func TestPanicThatIsReported(t *testing.T) {
	defer func(crash bool) { utilruntime.ReallyCrash = crash }(utilruntime.ReallyCrash)
	utilruntime.ReallyCrash = false
	synctest.Test(t, func(t *testing.T) {
		said := &logs{}
		logger := said.logger()
		m := newMarket("1", "a@1")
		i := NewSharedInformer(m, nil, 0)
		e := &ear{}
		handle, err := i.AddEventHandlerWithOptions(panicsAt(e, "a@1"), HandlerOptions{Logger: &logger})
		require.NoError(t, err)
		defer run(t, i)()
		m.tell(watch.Added, ware("b@2"))
		require.Equal(t, []string{"add b@2"}, e.take())
		require.True(t, handle.HasSynced())
		require.Contains(t, said.String(), "the handler of a@1")
	})
}

const crashesHere = "THINFORMER_TEST_CRASH"

// A panic of a handler ends the process, as long as nobody has said otherwise.
func TestPanicThatEndsTheProcess(t *testing.T) {
	if os.Getenv(crashesHere) != "" {
		i := NewSharedInformer(newMarket("1", "a@1"), nil, 0)
		_, err := i.AddEventHandler(panicsAt(&ear{}, "a@1"))
		require.NoError(t, err)
		i.RunWithContext(klog.NewContext(context.Background(), klog.Logger{}))
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestPanicThatEndsTheProcess$")
	child.Env = append(os.Environ(), crashesHere+"=1")
	output, err := child.CombinedOutput()
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "%v\n%s", err, output)
	require.Equal(t, 2, exit.ExitCode(), "%s", output)
	require.Contains(t, string(output), "panic: the handler of a@1")
	require.Contains(t, string(output), "panicsAt", "the stack says where")
}
