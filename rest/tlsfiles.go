package rest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"
)

// tlsFiles are a client's certificate, its key and the authorities it trusts,
// from files that may change or from data that do not.
type tlsFiles struct {
	config                        *TLSConfig
	certificate, key, authorities pemFile

	mu sync.Mutex
	// pair and roots are the two that last made sense; nil is none, and the
	// system's. pairPEM and rootsPEM are what they were made of. Only check
	// changes them.
	pair     *tls.Certificate
	pairPEM  [2][]byte
	roots    *x509.CertPool
	rootsPEM []byte
}

// pemFile is one of the files, or data in place of it.
type pemFile struct {
	path string // "" does not change
	data []byte
}

// loadTLSFiles reads what the config names. Each error names its file.
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

// reloadable is whether there is a file that could change.
func (f *tlsFiles) reloadable() bool {
	return f.certificate.path != "" || f.key.path != "" || f.authorities.path != ""
}

// check reads the files again, and reports whether that makes another set of
// credentials. They are compared by what is in them: a file's time, size and
// number may all be those of the one before it. What there is an error for stays
// as it was, and the next check tries again: a renewed certificate may have
// arrived before its key. Only one check runs at a time.
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
		return false, fmt.Errorf("read the authorities from %s: %w", f.authorities.origin(), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.roots, f.rootsPEM = roots, authorities
	return true, nil
}

func parseAuthorities(content []byte) (*x509.CertPool, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, errors.New("there is no certificate in PEM in it")
	}
	return roots, nil
}

// tlsConfig is how the next generation shakes hands. certificate, if there is
// one, takes the place of the one from the files.
func (f *tlsFiles) tlsConfig(certificate *tls.Certificate) *tls.Config {
	f.mu.Lock()
	pair, roots := f.pair, f.roots
	f.mu.Unlock()
	if certificate != nil {
		pair = certificate
	}
	made := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         f.config.ServerName,
		InsecureSkipVerify: f.config.Insecure,
		RootCAs:            roots,
		NextProtos:         f.config.NextProtos,
	}
	if pair != nil {
		// A server need not name the authorities of the certificates that it
		// takes, and Certificates would send none then.
		made.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair, nil }
	}
	return made
}

// proxyConfig is how hands are shaken with an https proxy. It is another host
// than the server: its name is its own, it is not shown the client's
// certificate, and those vouch for it who vouch for the web, or the server's
// authorities.
func (f *tlsFiles) proxyConfig() *tls.Config {
	f.mu.Lock()
	authorities := f.rootsPEM
	f.mu.Unlock()
	made := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: f.config.Insecure}
	if len(authorities) > 0 {
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		roots.AppendCertsFromPEM(authorities)
		made.RootCAs = roots
	}
	return made
}

// expired says since when the client certificate is no longer good; "" if it is,
// or there is none.
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

// read is what there is in PEM; nothing if the config names nothing. An empty
// file is an error: somebody is just writing it.
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
