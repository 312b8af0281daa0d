//go:build unix

package rest

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFIFOIsRefusedAndNotWaitedFor(t *testing.T) {
	path, logger, door := filepath.Join(t.TempDir(), "fifo"), slog.New(slog.DiscardHandler), &doorman{}
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	conn := connected(t, Config{Host: "https://server", BearerToken: "given", BearerTokenFile: path, Transport: door, Logger: logger})
	get(t, conn, "/")
	require.Equal(t, []string{"given"}, door.shown)
	conn = connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, path+": it is no regular file")
	_, err = New(&Config{Host: "https://server", TLS: TLSConfig{CAFile: path}})
	require.ErrorContains(t, err, path+": it is no regular file")
}
