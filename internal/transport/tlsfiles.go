package transport

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"
)

// tlsFiles are a client certificate, its key and the certificate authorities for
// the server, from files that may change or from fixed data.
type tlsFiles struct {
	config                        *TLSConfig
	certificate, key, authorities pemFile

	mu sync.Mutex
	// pair and roots are the last valid ones; nil is no certificate, and the
	// system's roots. pairPEM and rootsPEM are their sources. Only check modifies
	// them.
	pair     *tls.Certificate
	pairPEM  [2][]byte
	roots    *x509.CertPool
	rootsPEM []byte
}

// pemFile is one of the files, or data in its place.
type pemFile struct {
	path string // "" for data
	data []byte
}

// loadTLSFiles reads the files of the config. Each error names its file.
func loadTLSFiles(config *TLSConfig) (*tlsFiles, error) {
	f := &tlsFiles{config: config}
	f.certificate = newPEMFile(config.CertData, config.CertFile)
	f.key = newPEMFile(config.KeyData, config.KeyFile)
	f.authorities = newPEMFile(config.CAData, config.CAFile)
	if _, err := f.check(); err != nil {
		return nil, err
	}
	return f, nil
}

func newPEMFile(data []byte, path string) pemFile {
	if len(data) > 0 {
		return pemFile{data: data}
	}
	return pemFile{path: path}
}

// reloadable reports whether there is a file that may change.
func (f *tlsFiles) reloadable() bool {
	return f.certificate.path != "" || f.key.path != "" || f.authorities.path != ""
}

// check reads the files again, and reports whether the certificate or the
// authorities have changed. It compares contents: a file's time, size and inode may
// be those of its predecessor. A file with an error keeps its last contents, and
// the next check retries: a renewed certificate may arrive before its key. Only one
// check runs at a time.
func (f *tlsFiles) check() (changed bool, err error) {
	otherPair, pairErr := f.checkPair()
	otherRoots, rootsErr := f.checkRoots()
	return otherPair || otherRoots, errors.Join(pairErr, rootsErr)
}

func (f *tlsFiles) checkPair() (changed bool, err error) {
	certificate, err := f.certificate.read()
	if err != nil {
		return false, err
	}
	key, err := f.key.read()
	if err != nil {
		return false, err
	}
	if len(certificate) == 0 || bytes.Equal(certificate, f.pairPEM[0]) && bytes.Equal(key, f.pairPEM[1]) {
		return false, nil
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return false, fmt.Errorf("read the client certificate from %s and its key from %s: %w", f.certificate.origin(), f.key.origin(), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pair, f.pairPEM = &pair, [2][]byte{certificate, key}
	return true, nil
}

func (f *tlsFiles) checkRoots() (changed bool, err error) {
	authorities, err := f.authorities.read()
	if err != nil || bytes.Equal(authorities, f.rootsPEM) {
		return false, err
	}
	roots, err := parseAuthorities(authorities)
	if err != nil {
		return false, fmt.Errorf("read the certificate authorities from %s: %w", f.authorities.origin(), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.roots, f.rootsPEM = roots, authorities
	return true, nil
}

// CheckAuthorities returns an error if the certificate authorities in a file cannot
// be used. The error does not repeat the path.
func CheckAuthorities(path string) error {
	content, err := readBounded(path)
	if err != nil {
		return err
	}
	_, err = parseAuthorities(content)
	return err
}

func parseAuthorities(content []byte) (*x509.CertPool, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, errors.New("it contains no PEM certificate")
	}
	return roots, nil
}

// tlsConfig returns the TLS configuration of the next generation. certificate,
// unless nil, replaces the one from the files.
func (f *tlsFiles) tlsConfig(certificate *tls.Certificate) *tls.Config {
	f.mu.Lock()
	pair, roots := f.pair, f.roots
	f.mu.Unlock()
	if certificate != nil {
		pair = certificate
	}
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         f.config.ServerName,
		InsecureSkipVerify: f.config.Insecure,
		RootCAs:            roots,
		NextProtos:         f.config.NextProtos,
	}
	if pair != nil {
		// Certificates would not be sent to a server that does not name their
		// authorities.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair, nil }
	}
	return config
}

// proxyConfig returns the TLS configuration for an https proxy, which is another
// host than the server: it has its own name, it does not receive the client's
// certificate, and it is verified with the system's roots and the server's
// authorities.
func (f *tlsFiles) proxyConfig() *tls.Config {
	f.mu.Lock()
	authorities := f.rootsPEM
	f.mu.Unlock()
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: f.config.Insecure}
	if len(authorities) > 0 {
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		roots.AppendCertsFromPEM(authorities)
		config.RootCAs = roots
	}
	return config
}

// expired describes the expiry of the client certificate; "" if it is valid or
// there is none.
func (f *tlsFiles) expired(now time.Time) string {
	f.mu.Lock()
	pair := f.pair
	f.mu.Unlock()
	if pair == nil || pair.Leaf == nil || !now.After(pair.Leaf.NotAfter) {
		return ""
	}
	return fmt.Sprintf("the client certificate from %s expired at %s", f.certificate.origin(), pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
}

func (p *pemFile) origin() string {
	if p.path == "" {
		return "Config.TLS"
	}
	return p.path
}

// read returns the contents, empty if the config names none. An empty file is an
// error: it is probably being written.
func (p *pemFile) read() ([]byte, error) {
	if p.path == "" {
		return p.data, nil
	}
	content, err := readBounded(p.path)
	if err == nil && len(content) == 0 {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.path, err)
	}
	return content, nil
}
