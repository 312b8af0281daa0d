package rest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
)

// tlsFiles are a client's certificate, its key and the authorities it trusts,
// from files that may change or from data that do not.
type tlsFiles struct {
	config *TLSConfig
	// certificate, key and authorities are as they were last read. Only check
	// uses them.
	certificate, key, authorities pemFile

	mu sync.Mutex
	// applied are the three as they were when they last made sense. Only check
	// changes them.
	applied [3][]byte
	// pair and roots are what applied says; nil is none, and the system's.
	pair  *tls.Certificate
	roots *x509.CertPool
}

// pemFile is one of the files, or data in place of it.
type pemFile struct {
	path    string // "" does not change
	stamp   os.FileInfo
	content []byte
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
		return pemFile{content: data}
	}
	return pemFile{path: path}
}

// reloadable is whether there is a file that could change.
func (f *tlsFiles) reloadable() bool {
	return f.certificate.path != "" || f.key.path != "" || f.authorities.path != ""
}

// check reads again what has changed, and reports whether that makes another
// set of credentials. After an error everything is as it was, and the next
// check tries again: a renewed certificate may have arrived before its key.
func (f *tlsFiles) check() (changed bool, err error) {
	for _, file := range []*pemFile{&f.certificate, &f.key, &f.authorities} {
		if err := file.refresh(); err != nil {
			return false, err
		}
	}
	now := [3][]byte{f.certificate.content, f.key.content, f.authorities.content}
	same := true
	for i := range now {
		same = same && bytes.Equal(now[i], f.applied[i])
	}
	if same {
		return false, nil
	}
	pair, roots, err := f.parse()
	if err != nil {
		return false, err
	}
	f.mu.Lock()
	f.applied, f.pair, f.roots = now, pair, roots
	f.mu.Unlock()
	return true, nil
}

func (f *tlsFiles) parse() (*tls.Certificate, *x509.CertPool, error) {
	var pair *tls.Certificate
	if len(f.certificate.content) > 0 {
		parsed, err := tls.X509KeyPair(f.certificate.content, f.key.content)
		if err != nil {
			return nil, nil, fmt.Errorf("read the client certificate from %s and its key from %s: %w", f.certificate.origin(), f.key.origin(), err)
		}
		pair = &parsed
	}
	if len(f.authorities.content) == 0 {
		return pair, nil, nil
	}
	roots, err := parseAuthorities(f.authorities.content)
	if err != nil {
		return nil, nil, fmt.Errorf("read the authorities from %s: %w", f.authorities.origin(), err)
	}
	return pair, roots, nil
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
	authorities := f.applied[2]
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

func (p *pemFile) origin() string {
	if p.path == "" {
		return "Config.TLS"
	}
	return p.path
}

// refresh reads the file if it looks different from when it was last read. An
// empty file is an error: somebody is just writing it.
func (p *pemFile) refresh() error {
	if p.path == "" {
		return nil
	}
	stamp, err := os.Stat(p.path)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.path, withoutPath(err))
	}
	if p.stamp != nil && os.SameFile(stamp, p.stamp) && stamp.Size() == p.stamp.Size() && stamp.ModTime().Equal(p.stamp.ModTime()) {
		return nil
	}
	content, err := readBounded(p.path)
	if err == nil && len(content) == 0 {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", p.path, err)
	}
	p.stamp, p.content = stamp, content
	return nil
}
