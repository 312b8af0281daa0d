// Package tlstest has certificate authorities and TLS servers for tests, like
// net/http/httptest. Certificates are valid for an hour.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Authority issues the certificates of the tests.
type Authority struct {
	// Certificate is the certificate of the authority, and PEM its encoded form.
	Certificate *x509.Certificate
	PEM         []byte

	t   testing.TB
	key *ecdsa.PrivateKey
}

// NewAuthority returns an authority with a new key.
func NewAuthority(t testing.TB, name string) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := certificateFor(name)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &Authority{t: t, key: key, Certificate: cert, PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

func certificateFor(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// Issue creates a certificate and its key in PEM.
func (a *Authority) Issue(name string, change ...func(*x509.Certificate)) (cert, key []byte) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := certificateFor(name)
	template.DNSNames, template.IPAddresses = []string{name}, []net.IP{net.IPv4(127, 0, 0, 1)}
	for _, c := range change {
		c(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.Certificate, &private.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
}

// Pool returns a pool with the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate)
	return pool
}

// ServerConfig returns the configuration of a server with the name. The server
// requests, but does not require, a client certificate of the same authority.
func (a *Authority) ServerConfig(name string) *tls.Config {
	pair, err := tls.X509KeyPair(a.Issue(name))
	if err != nil {
		a.t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: a.Pool(), ClientAuth: tls.VerifyClientCertIfGiven}
}

// Serve starts a server with TLS and HTTP/2. change may modify the server.
func (a *Authority) Serve(handler http.HandlerFunc, change ...func(*httptest.Server)) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.TLS = a.ServerConfig("server")
	server.EnableHTTP2 = true
	for _, c := range change {
		c(server)
	}
	server.StartTLS()
	a.t.Cleanup(server.Close)
	return server
}

// HTTP1 disables HTTP/2 on a server.
func HTTP1(server *httptest.Server) { server.EnableHTTP2 = false }

// DiscardLog discards the log of a server about failed handshakes.
func DiscardLog(server *httptest.Server) { server.Config.ErrorLog = log.New(io.Discard, "", 0) }

// CommonName returns the subject of the client certificate of a request, or "".
func CommonName(request *http.Request) string {
	if request.TLS == nil || len(request.TLS.PeerCertificates) == 0 {
		return ""
	}
	return request.TLS.PeerCertificates[0].Subject.CommonName
}
