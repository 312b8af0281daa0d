package rest

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
)

// clientFiles are a client's certificate, key and authorities in files.
func clientFiles(t *testing.T, ca *authority, name string) TLSConfig {
	folder := t.TempDir()
	files := TLSConfig{CertFile: filepath.Join(folder, "tls.crt"), KeyFile: filepath.Join(folder, "tls.key"), CAFile: filepath.Join(folder, "ca.crt")}
	write(t, files.CAFile, ca.pem)
	renew(t, files, ca, name)
	return files
}

func renew(t *testing.T, files TLSConfig, ca *authority, name string) {
	cert, key := ca.issue(name)
	write(t, files.CertFile, cert)
	write(t, files.KeyFile, key)
}

// always looks at the files before each request.
func always(t *timing) { t.fileCheck = 0 }

func whoAsks(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/watch" {
		keepTalking(w, r, commonName(r))
		return
	}
	fmt.Fprint(w, commonName(r))
}

func TestARenewedClientCertificateIsUsedAndRunningWatchesGoOn(t *testing.T) {
	ca := newAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": http1, "HTTP/2": func(*httptest.Server) {}} {
		t.Run(name, func(t *testing.T) {
			more := make(chan string)
			server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/watch" {
					fmt.Fprint(w, commonName(r))
					return
				}
				fmt.Fprintln(w, commonName(r))
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
			conn := connected(t, Config{Host: server.URL, TLS: files}, always)
			who, watch := watchLine(t, conn, "/watch")
			require.Equal(t, "first", who)
			_, who = get(t, conn, "/")
			require.Equal(t, "first", who)

			renew(t, files, ca, "second")
			_, who = get(t, conn, "/")
			require.Equal(t, "second", who, "a new request shows the new certificate")
			more <- "event"
			require.Equal(t, "event", line(t, watch), "and what runs goes on")
			requireGenerations(t, conn, 1)

			require.NoError(t, watch.Close())
			requireGenerations(t, conn, 0)
			conn.close()
		})
	}
}

// requireGenerations is how many sets of old connections are remembered.
func requireGenerations(t *testing.T, c *connection, want int) {
	t.Helper()
	c.transports.mu.Lock()
	defer c.transports.mu.Unlock()
	require.Len(t, c.transports.retired, want)
}

func TestOldConnectionsAreClosedWhenNothingRunsOnThem(t *testing.T) {
	ca := newAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": http1, "HTTP/2": func(*httptest.Server) {}} {
		t.Run(name, func(t *testing.T) {
			server := ca.serve(whoAsks, change)
			files := clientFiles(t, ca, "first")
			var open atomic.Int32
			conn := connected(t, Config{Host: server.URL, TLS: files, Dial: countingDial(&open)}, always)
			_, watch := watchLine(t, conn, "/watch")
			get(t, conn, "/")
			require.EqualValues(t, 2, open.Load())
			for i := range 5 {
				renew(t, files, ca, fmt.Sprint(i))
				_, who := get(t, conn, "/")
				require.Equal(t, fmt.Sprint(i), who)
			}
			require.Eventually(t, func() bool { return open.Load() == 2 }, 10*time.Second, time.Millisecond,
				"the watch's connection and that of the last request")
			require.NoError(t, watch.Close())
			require.Eventually(t, func() bool { return open.Load() == 1 }, 10*time.Second, time.Millisecond)
			conn.close()
			require.Zero(t, open.Load())
		})
	}
}

func TestARenewedAuthorityIsTrustedInPlaceOfTheOldOne(t *testing.T) {
	old, renewed := newAuthority(t, "old"), newAuthority(t, "renewed")
	server := old.serve(whoAsks, quiet)
	another := renewed.serve(whoAsks, quiet)
	path := filepath.Join(t.TempDir(), "ca.crt")
	write(t, path, old.pem)
	conn := connected(t, Config{Host: server.URL, TLS: TLSConfig{CAFile: path}}, always)
	get(t, conn, "/")
	write(t, path, renewed.pem)
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "unknown authority", "an idle connection of the old generation was used")
	conn.base.Host = another.Listener.Addr().String()
	get(t, conn, "/")
}

func TestFilesThatCannotBeUsedChangeNothingAndAreLoggedOnce(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(whoAsks)
	for name, breakIt := range map[string]func(TLSConfig){
		"certificate without its key": func(f TLSConfig) { cert, _ := ca.issue("x"); write(t, f.CertFile, cert) },
		"key without its certificate": func(f TLSConfig) { _, key := ca.issue("x"); write(t, f.KeyFile, key) },
		"half a certificate":          func(f TLSConfig) { cert, _ := ca.issue("x"); write(t, f.CertFile, cert[:len(cert)/2]) },
		"empty key":                   func(f TLSConfig) { write(t, f.KeyFile, nil) },
		"empty authorities":           func(f TLSConfig) { write(t, f.CAFile, nil) }, // not those of the system
		"no authorities":              func(f TLSConfig) { write(t, f.CAFile, []byte("none")) },
		"missing":                     func(f TLSConfig) { require.NoError(t, os.Remove(f.CAFile)) },
		"huge":                        func(f TLSConfig) { write(t, f.CAFile, make([]byte, maxCredentialBytes+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			logger, log := logged()
			files := clientFiles(t, ca, "first")
			conn := connected(t, Config{Host: server.URL, TLS: files, Logger: logger}, always)
			breakIt(files)
			for range 3 {
				_, who := get(t, conn, "/")
				require.Equal(t, "first", who)
			}
			require.Equal(t, 1, log.lines(), log.String())
			require.Contains(t, log.String(), filepath.Dir(files.CAFile))
			require.NotContains(t, log.String(), "PRIVATE")

			write(t, files.CAFile, ca.pem)
			renew(t, files, ca, "second")
			for range 3 {
				_, who := get(t, conn, "/")
				require.Equal(t, "second", who)
			}
			require.Equal(t, 2, log.lines(), "it is over: "+log.String())
		})
	}
}

// A volume of Kubernetes is changed by a link that points to another folder.
// Time and size of the files in it may be the same, and the number of a file
// that is gone is given to the next.
func TestARenewedCertificateIsSeenHoweverAlikeItsFileLooks(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(whoAsks)
	volume, then := t.TempDir(), time.Unix(1e9, 0)
	put := func(path string, content []byte) {
		padded := append(content, bytes.Repeat([]byte{'\n'}, 2048-len(content))...)
		require.NoError(t, os.WriteFile(path, padded, 0o600))
		require.NoError(t, os.Chtimes(path, then, then))
	}
	fill := func(folder, name string) {
		cert, key := ca.issue(name)
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
	files := TLSConfig{CertFile: filepath.Join(volume, "..data/tls.crt"), KeyFile: filepath.Join(volume, "..data/tls.key"), CAData: ca.pem}
	conn := connected(t, Config{Host: server.URL, TLS: files}, always)
	is := func(want string) {
		t.Helper()
		_, who := get(t, conn, "/")
		require.Equal(t, want, who)
	}
	is("one")
	fill("..1", "two") // the same files, written over
	is("two")
	for i := range 5 {
		require.NoError(t, os.RemoveAll(filepath.Join(volume, "..1")))
		swap("..1", fmt.Sprint("swap", i))
		is(fmt.Sprint("swap", i))
	}
}

func TestTheCertificateAndTheAuthoritiesFailApart(t *testing.T) {
	ca, other := newAuthority(t, "ca"), newAuthority(t, "other")
	server := ca.serve(whoAsks)
	another := other.serve(whoAsks, func(s *httptest.Server) { s.TLS.ClientAuth = tls.NoClientCert })
	logger, log := logged()
	files := clientFiles(t, ca, "first")
	conn := connected(t, Config{Host: server.URL, TLS: files, Logger: logger}, always)
	require.NoError(t, os.Remove(files.CAFile))
	renew(t, files, ca, "second")
	_, who := get(t, conn, "/")
	require.Equal(t, "second", who)
	require.Contains(t, log.String(), files.CAFile)

	require.NoError(t, os.Remove(files.KeyFile))
	write(t, files.CAFile, append(ca.pem, other.pem...))
	conn.base.Host = another.Listener.Addr().String()
	get(t, conn, "/")
	require.Contains(t, log.String(), files.KeyFile)
}

// On a mount that is stuck a read never ends.
func TestAReadThatDoesNotEndHoldsNothingUp(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	t.Run("certificates", func(t *testing.T) {
		ca := newAuthority(t, "ca")
		server := ca.serve(whoAsks)
		conn := connected(t, Config{Host: server.URL, TLS: clientFiles(t, ca, "client")}, always)
		ended, end := context.WithCancel(t.Context())
		end()
		conn.transports.reading.await(ended, 0, func() { <-stuck })
		begun := time.Now()
		_, who := get(t, conn, "/")
		require.Equal(t, "client", who)
		require.GreaterOrEqual(t, time.Since(begun), readPatience)
		conn.transports.nextCheck = time.Now().Add(time.Hour)
		get(t, conn, "/")
		conn.close()
	})
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		path, door := filepath.Join(t.TempDir(), "token"), &doorman{}
		write(t, path, []byte("old"))
		conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
		file := conn.credential.(*tokenFile)
		get(t, conn, "/")
		var reads atomic.Int32
		file.read = func(string) (string, error) {
			reads.Add(1)
			<-stuck
			return "new", nil
		}
		for range 3 { // one request waits in each minute that the read lasts
			time.Sleep(time.Minute)
			for _, waits := range []time.Duration{readPatience, 0, 0} {
				begun := time.Now()
				get(t, conn, "/")
				require.Equal(t, waits, time.Since(begun))
			}
		}
		require.EqualValues(t, 1, reads.Load())
		require.Equal(t, slices.Repeat([]string{"old"}, 10), door.shown)
		conn.close()
		close(stuck)
		synctest.Wait()

		stuck = make(chan struct{})
		conn = connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
		conn.credential.(*tokenFile).read = file.read
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "read the bearer token: "+path)
		close(stuck)
	})
}

func TestFilesAreLookedAtNowAndThenAndDataNever(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(whoAsks)
	files := clientFiles(t, ca, "first")
	conn := connected(t, Config{Host: server.URL, TLS: files}) // every few seconds
	renew(t, files, ca, "second")
	_, who := get(t, conn, "/")
	require.Equal(t, "first", who)

	cert, key := ca.issue("data")
	files.CertData, files.KeyData, files.CAData = cert, key, ca.pem
	conn = connected(t, Config{Host: server.URL, TLS: files}, always)
	_, who = get(t, conn, "/")
	require.Equal(t, "data", who, "data wins over files")
	require.False(t, conn.transports.files.reloadable())
}

func TestAFileThatIsOnlyTouchedChangesNothing(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(whoAsks)
	files := clientFiles(t, ca, "first")
	conn := connected(t, Config{Host: server.URL, TLS: files}, always)
	get(t, conn, "/")
	before := conn.transports.short
	now := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(files.CertFile, now, now))
	get(t, conn, "/")
	require.Same(t, before, conn.transports.short)
}
