//go:build unix

package transport

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFIFOIsRejectedWithoutBlocking(t *testing.T) {
	path, logger, srv := filepath.Join(t.TempDir(), "fifo"), slog.New(slog.DiscardHandler), &tokenServer{}
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	conn := connected(t, Config{Base: address("https://server"), BearerToken: "given", BearerTokenFile: path, Transport: srv, Logger: logger})
	get(t, conn, "/")
	require.Equal(t, []string{"given"}, srv.tokens)
	conn = connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, path+": it is not a regular file")
	_, err = New(&Config{Base: address("https://server"), TLS: TLSConfig{CAFile: path}})
	require.ErrorContains(t, err, path+": it is not a regular file")
}
