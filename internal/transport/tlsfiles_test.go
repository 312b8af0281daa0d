package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

// clientFiles returns the files of a client certificate, its key and the authorities.
func clientFiles(t *testing.T, ca *tlstest.Authority, name string) TLSConfig {
	folder := t.TempDir()
	files := TLSConfig{CertFile: filepath.Join(folder, "tls.crt"), KeyFile: filepath.Join(folder, "tls.key"), CAFile: filepath.Join(folder, "ca.crt")}
	write(t, files.CAFile, ca.PEM)
	renew(t, files, ca, name)
	return files
}

func renew(t *testing.T, files TLSConfig, ca *tlstest.Authority, name string) {
	cert, key := ca.Issue(name)
	write(t, files.CertFile, cert)
	write(t, files.KeyFile, key)
}

// checkAlways checks the files before each request.
func checkAlways(t *timeouts) { t.fileCheckInterval = 0 }

func serveSubject(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/watch" {
		serveUntilHangUp(w, r, tlstest.CommonName(r))
		return
	}
	fmt.Fprint(w, tlstest.CommonName(r))
}

func TestARenewedClientCertificateIsUsedAndRunningWatchesContinue(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": tlstest.HTTP1, "HTTP/2": func(*httptest.Server) {}} {
		t.Run(name, func(t *testing.T) {
			more := make(chan string)
			server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/watch" {
					fmt.Fprint(w, tlstest.CommonName(r))
					return
				}
				fmt.Fprintln(w, tlstest.CommonName(r))
				w.(http.Flusher).Flush()
				for {
					select {
					case event := <-more:
						fmt.Fprintln(w, event)
						w.(http.Flusher).Flush()
					case <-r.Context().Done():
						return
					}
				}
			}, change)
			files := clientFiles(t, ca, "first")
			conn := connected(t, Config{Base: address(server.URL), TLS: files}, checkAlways)
			subject, watch := watchLine(t, conn, "/watch")
			require.Equal(t, "first", subject)
			_, subject = get(t, conn, "/")
			require.Equal(t, "first", subject)

			renew(t, files, ca, "second")
			_, subject = get(t, conn, "/")
			require.Equal(t, "second", subject, "a new request uses the new certificate")
			more <- "event"
			require.Equal(t, "event", line(t, watch), "running requests continue")
			requireGenerations(t, conn, 1)

			require.NoError(t, watch.Close())
			requireGenerations(t, conn, 0)
			conn.Close()
		})
	}
}

// requireGenerations checks how many sets of old connections are kept.
func requireGenerations(t *testing.T, c *Connection, want int) {
	t.Helper()
	c.transports.mu.Lock()
	defer c.transports.mu.Unlock()
	require.Len(t, c.transports.retired, want)
}

func TestOldConnectionsAreClosedWhenTheirLastRequestEnds(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": tlstest.HTTP1, "HTTP/2": func(*httptest.Server) {}} {
		t.Run(name, func(t *testing.T) {
			server := ca.Serve(serveSubject, change)
			files := clientFiles(t, ca, "first")
			var open atomic.Int32
			conn := connected(t, Config{Base: address(server.URL), TLS: files, Dial: countingDial(&open)}, checkAlways)
			_, watch := watchLine(t, conn, "/watch")
			get(t, conn, "/")
			require.EqualValues(t, 2, open.Load())
			for i := range 5 {
				renew(t, files, ca, fmt.Sprint(i))
				_, subject := get(t, conn, "/")
				require.Equal(t, fmt.Sprint(i), subject)
			}
			require.Eventually(t, func() bool { return open.Load() == 2 }, 10*time.Second, time.Millisecond,
				"the watch's connection and that of the last request")
			require.NoError(t, watch.Close())
			require.Eventually(t, func() bool { return open.Load() == 1 }, 10*time.Second, time.Millisecond)
			conn.Close()
			require.Zero(t, open.Load())
		})
	}
}

func TestARenewedAuthorityReplacesTheOldOne(t *testing.T) {
	old, renewed := tlstest.NewAuthority(t, "old"), tlstest.NewAuthority(t, "renewed")
	server := old.Serve(serveSubject, tlstest.DiscardLog)
	another := renewed.Serve(serveSubject, tlstest.DiscardLog)
	path := filepath.Join(t.TempDir(), "ca.crt")
	write(t, path, old.PEM)
	conn := connected(t, Config{Base: address(server.URL), TLS: TLSConfig{CAFile: path}}, checkAlways)
	get(t, conn, "/")
	write(t, path, renewed.PEM)
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "unknown authority", "an idle connection of the old generation was used")
	conn.base.Host = another.Listener.Addr().String()
	get(t, conn, "/")
}

func TestInvalidFilesChangeNothingAndAreLoggedOnce(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(serveSubject)
	for name, corrupt := range map[string]func(TLSConfig){
		"certificate without its key": func(f TLSConfig) { cert, _ := ca.Issue("x"); write(t, f.CertFile, cert) },
		"key without its certificate": func(f TLSConfig) { _, key := ca.Issue("x"); write(t, f.KeyFile, key) },
		"truncated certificate":       func(f TLSConfig) { cert, _ := ca.Issue("x"); write(t, f.CertFile, cert[:len(cert)/2]) },
		"empty key":                   func(f TLSConfig) { write(t, f.KeyFile, nil) },
		"empty authorities":           func(f TLSConfig) { write(t, f.CAFile, nil) }, // the authorities of the system are not used
		"no authorities":              func(f TLSConfig) { write(t, f.CAFile, []byte("none")) },
		"missing":                     func(f TLSConfig) { require.NoError(t, os.Remove(f.CAFile)) },
		"huge":                        func(f TLSConfig) { write(t, f.CAFile, make([]byte, maxCredentialBytes+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			logger, log := logged()
			files := clientFiles(t, ca, "first")
			conn := connected(t, Config{Base: address(server.URL), TLS: files, Logger: logger}, checkAlways)
			corrupt(files)
			for range 3 {
				_, subject := get(t, conn, "/")
				require.Equal(t, "first", subject)
			}
			require.Equal(t, 1, log.lines(), log.String())
			require.Contains(t, log.String(), filepath.Dir(files.CAFile))
			require.NotContains(t, log.String(), "PRIVATE")

			write(t, files.CAFile, ca.PEM)
			renew(t, files, ca, "second")
			for range 3 {
				_, subject := get(t, conn, "/")
				require.Equal(t, "second", subject)
			}
			require.Equal(t, 2, log.lines(), "the recovery is logged once: "+log.String())
		})
	}
}

// The kubelet updates a volume with a symbolic link to another directory. The time and
// size of a file may remain the same, and an inode number may be reused.
func TestARenewedCertificateIsDetectedWithEqualTimeAndSize(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(serveSubject)
	volume, then := t.TempDir(), time.Unix(1e9, 0)
	put := func(path string, content []byte) {
		padded := append(content, bytes.Repeat([]byte{'\n'}, 2048-len(content))...)
		require.NoError(t, os.WriteFile(path, padded, 0o600))
		require.NoError(t, os.Chtimes(path, then, then))
	}
	fill := func(folder, name string) {
		cert, key := ca.Issue(name)
		put(filepath.Join(volume, folder, "tls.crt"), cert)
		put(filepath.Join(volume, folder, "tls.key"), key)
	}
	swap := func(folder, name string) {
		require.NoError(t, os.Mkdir(filepath.Join(volume, folder), 0o700))
		fill(folder, name)
		require.NoError(t, os.Symlink(folder, filepath.Join(volume, "..tmp")))
		require.NoError(t, os.Rename(filepath.Join(volume, "..tmp"), filepath.Join(volume, "..data")))
	}
	swap("..1", "one")
	files := TLSConfig{CertFile: filepath.Join(volume, "..data/tls.crt"), KeyFile: filepath.Join(volume, "..data/tls.key"), CAData: ca.PEM}
	conn := connected(t, Config{Base: address(server.URL), TLS: files}, checkAlways)
	requireSubject := func(want string) {
		t.Helper()
		_, subject := get(t, conn, "/")
		require.Equal(t, want, subject)
	}
	requireSubject("one")
	fill("..1", "two") // the same files, overwritten
	requireSubject("two")
	for i := range 5 {
		require.NoError(t, os.RemoveAll(filepath.Join(volume, "..1")))
		swap("..1", fmt.Sprint("swap", i))
		requireSubject(fmt.Sprint("swap", i))
	}
}

func TestTheCertificateAndTheAuthoritiesFailIndependently(t *testing.T) {
	ca, other := tlstest.NewAuthority(t, "ca"), tlstest.NewAuthority(t, "other")
	server := ca.Serve(serveSubject)
	another := other.Serve(serveSubject, func(s *httptest.Server) { s.TLS.ClientAuth = tls.NoClientCert })
	logger, log := logged()
	files := clientFiles(t, ca, "first")
	conn := connected(t, Config{Base: address(server.URL), TLS: files, Logger: logger}, checkAlways)
	require.NoError(t, os.Remove(files.CAFile))
	renew(t, files, ca, "second")
	_, subject := get(t, conn, "/")
	require.Equal(t, "second", subject)
	require.Contains(t, log.String(), files.CAFile)

	require.NoError(t, os.Remove(files.KeyFile))
	write(t, files.CAFile, append(ca.PEM, other.PEM...))
	conn.base.Host = another.Listener.Addr().String()
	get(t, conn, "/")
	require.Contains(t, log.String(), files.KeyFile)
}

// A read of a file on an unavailable network mount may never return.
func TestAReadThatDoesNotReturnDelaysNoRequest(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	t.Run("certificates", func(t *testing.T) {
		ca := tlstest.NewAuthority(t, "ca")
		server := ca.Serve(serveSubject)
		conn := connected(t, Config{Base: address(server.URL), TLS: clientFiles(t, ca, "client")}, checkAlways)
		ended, end := context.WithCancel(t.Context())
		end()
		conn.transports.reader.run(ended, 0, func() { <-stuck })
		begun := time.Now()
		_, subject := get(t, conn, "/")
		require.Equal(t, "client", subject)
		require.GreaterOrEqual(t, time.Since(begun), rereadTimeout)
		conn.transports.nextCheck = time.Now().Add(time.Hour)
		get(t, conn, "/")
		conn.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{}
		write(t, path, []byte("old"))
		conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
		file := conn.authenticator.(*tokenFile)
		get(t, conn, "/")
		var reads atomic.Int32
		file.read = func(string) (string, error) {
			reads.Add(1)
			<-stuck
			return "new", nil
		}
		for range 3 { // one request waits in each minute of the read
			time.Sleep(time.Minute)
			for _, waits := range []time.Duration{rereadTimeout, 0, 0} {
				begun := time.Now()
				get(t, conn, "/")
				require.Equal(t, waits, time.Since(begun))
			}
		}
		require.EqualValues(t, 1, reads.Load())
		require.Equal(t, slices.Repeat([]string{"old"}, 10), srv.tokens)
		conn.Close()
		close(stuck)
		synctest.Wait()

		stuck = make(chan struct{})
		conn = connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
		conn.authenticator.(*tokenFile).read = file.read
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "read the bearer token: "+path)
		close(stuck)
	})
}

func TestFilesAreCheckedPeriodicallyAndDataIsNot(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(serveSubject)
	files := clientFiles(t, ca, "first")
	conn := connected(t, Config{Base: address(server.URL), TLS: files}) // checked every few seconds
	renew(t, files, ca, "second")
	_, subject := get(t, conn, "/")
	require.Equal(t, "first", subject)

	cert, key := ca.Issue("data")
	files.CertData, files.KeyData, files.CAData = cert, key, ca.PEM
	conn = connected(t, Config{Base: address(server.URL), TLS: files}, checkAlways)
	_, subject = get(t, conn, "/")
	require.Equal(t, "data", subject, "data takes precedence over files")
	require.False(t, conn.transports.files.reloadable())
}

func TestATouchedFileChangesNothing(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(serveSubject)
	files := clientFiles(t, ca, "first")
	conn := connected(t, Config{Base: address(server.URL), TLS: files}, checkAlways)
	get(t, conn, "/")
	before := conn.transports.short
	now := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(files.CertFile, now, now))
	get(t, conn, "/")
	require.Same(t, before, conn.transports.short)
}
