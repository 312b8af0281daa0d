package listener

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"sync/atomic"
	"time"
)

// Certificates are the server's certificates. The first one is its own
// authority, which saves a signature at each start and a verification at each
// handshake. It signs the later ones.
type Certificates struct {
	Authority []byte // PEM
	signer    *x509.Certificate
	key       *ecdsa.PrivateKey
	address   string // host:port of the listener
	serving   atomic.Pointer[tls.Certificate]
	serial    atomic.Int64
}

// NewCertificates returns a new authority, whose certificate is served at first.
func NewCertificates(address string) (*Certificates, error) {
	c := &Certificates{address: address}
	var err error
	if c.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	template := c.template("apitest")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	signed, err := c.install(template, template)
	if err != nil {
		return nil, err
	}
	if c.signer, err = x509.ParseCertificate(signed); err != nil {
		return nil, fmt.Errorf("read the authority's certificate: %w", err)
	}
	c.Authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	return c, nil
}

// Rotate uses another certificate for new connections.
func (c *Certificates) Rotate() error {
	_, err := c.install(c.template("kube-apiserver"), c.signer)
	return err
}

// template returns a certificate for the server's addresses.
func (c *Certificates) template(name string) *x509.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(c.serial.Add(1)), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost", "kubernetes"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	names, addresses := certificateNames(c.address)
	template.DNSNames = append(template.DNSNames, names...)
	template.IPAddresses = append(template.IPAddresses, addresses...)
	return template
}

// certificateNames returns the names and IP addresses by which clients can
// reach an address. It ignores an invalid address, which the listener reports.
func certificateNames(address string) (names []string, addresses []net.IP) {
	host, _, _ := net.SplitHostPort(address)
	if host != "" && net.ParseIP(host) == nil {
		names = append(names, host)
	}
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return names, nil
	}
	if len(at.IP) > 0 && !at.IP.IsUnspecified() {
		return names, []net.IP{at.IP}
	}
	all, _ := net.InterfaceAddrs() // without them, the loopback address remains
	for _, one := range all {
		if one, ok := one.(*net.IPNet); ok {
			addresses = append(addresses, one.IP)
		}
	}
	return names, addresses
}

// install signs a certificate and uses it from now on.
func (c *Certificates) install(template, signer *x509.Certificate) (signed []byte, err error) {
	if signed, err = x509.CreateCertificate(rand.Reader, template, signer, &c.key.PublicKey, c.key); err != nil {
		return nil, fmt.Errorf("sign a certificate: %w", err)
	}
	c.serving.Store(&tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: c.key})
	return signed, nil
}

// TLSConfig returns the configuration of a server with HTTP/2.
func (c *Certificates) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		// Post-quantum key exchange is slower, and tests do not need it.
		CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.serving.Load(), nil
		},
		NextProtos: []string{"h2", "http/1.1"},
	}
}
