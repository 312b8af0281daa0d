package apitest

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

// certificates are what the server shows. The first one is its own authority,
// which spares every start a signature and every handshake a verification; it
// signs those that take its place.
type certificates struct {
	authority []byte // PEM
	signer    *x509.Certificate
	key       *ecdsa.PrivateKey
	address   string // host:port to listen on
	serving   atomic.Pointer[tls.Certificate]
	serial    atomic.Int64
}

func newCertificates(address string) (*certificates, error) {
	c := &certificates{address: address}
	var err error
	if c.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	template := c.template("apitest")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	signed, err := c.show(template, template)
	if err != nil {
		return nil, err
	}
	if c.signer, err = x509.ParseCertificate(signed); err != nil {
		return nil, fmt.Errorf("read the authority's certificate: %w", err)
	}
	c.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	return c, nil
}

// rotate shows another certificate to those who connect from now on.
func (c *certificates) rotate() error {
	_, err := c.show(c.template("kube-apiserver"), c.signer)
	return err
}

// template is a certificate for the server's addresses.
func (c *certificates) template(name string) *x509.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(c.serial.Add(1)), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost", "kubernetes"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	names, addresses := waysTo(c.address)
	template.DNSNames = append(template.DNSNames, names...)
	template.IPAddresses = append(template.IPAddresses, addresses...)
	return template
}

// waysTo are the names and addresses by which clients come to where the server
// listens. One that is none is for the listener to complain of.
func waysTo(address string) (names []string, addresses []net.IP) {
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
	all, _ := net.InterfaceAddrs() // none, if need be: there is the loopback
	for _, one := range all {
		if one, ok := one.(*net.IPNet); ok {
			addresses = append(addresses, one.IP)
		}
	}
	return names, addresses
}

// show signs a certificate and shows it from now on.
func (c *certificates) show(template, signer *x509.Certificate) (signed []byte, err error) {
	if signed, err = x509.CreateCertificate(rand.Reader, template, signer, &c.key.PublicKey, c.key); err != nil {
		return nil, fmt.Errorf("sign a certificate: %w", err)
	}
	c.serving.Store(&tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: c.key})
	return signed, nil
}

func (c *certificates) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		// No secret of a test lasts until there are quantum computers.
		CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.serving.Load(), nil
		},
		NextProtos: []string{"h2", "http/1.1"},
	}
}
