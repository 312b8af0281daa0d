//go:build unix

package transport

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Stopping a plugin also stops its child processes, even if the plugin has already
// exited.
func TestStoppingAPluginStopsItsChildren(t *testing.T) {
	for name, leaves := range map[string]string{"the plugin waits": "", "the plugin has ended": "yes"} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			plugin, _ := program(&Config{Exec: pluginConfig("parent", ExecEnv{"ADDRESS", listener.Addr().String()}, ExecEnv{"LEAVES", leaves})})
			ended := make(chan error, 1)
			go func() {
				_, err := plugin.run(ctx)
				ended <- err
			}()
			child, err := listener.Accept()
			require.NoError(t, err)
			defer child.Close()
			stop()
			require.ErrorIs(t, <-ended, context.Canceled)
			require.NoError(t, child.SetReadDeadline(time.Now().Add(10*time.Second)))
			_, err = child.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF, "the child has exited")
		})
	}
}
