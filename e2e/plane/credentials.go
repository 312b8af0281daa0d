package plane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"text/template"
	"time"
)

// User is one of the users with a token. Other requests are anonymous, unless they have a
// service account's token or a certificate of the plane's authority.
type User string

const (
	// Admin has all permissions: it is a member of system:masters.
	Admin User = "admin"
	// Unprivileged has only the few permissions of every authenticated user.
	Unprivileged User = "nobody"
)

// The names of the files in a plane's folder.
const (
	caFile         = "ca.crt"
	servingCert    = "serving.crt"
	servingKey     = "serving.key"
	accountKey     = "accounts.key"
	tokensFile     = "tokens.csv"
	kubeconfigFile = "kubeconfig"
)

// validity of the certificates. It is longer than any test.
const validity = 7 * 24 * time.Hour

// writeCredentials writes a new certificate authority, a serving certificate, a key for the
// tokens of service accounts and the tokens of the users to a folder.
func writeCredentials(dir string) (ca []byte, tokens map[User]string, err error) {
	authority, authorityKey, err := certificate("thinformer e2e authority", nil, nil)
	if err != nil {
		return nil, nil, err
	}
	serving, key, err := certificate("kube-apiserver", authority, authorityKey)
	if err != nil {
		return nil, nil, err
	}
	_, accounts, err := certificate("service accounts", authority, authorityKey)
	if err != nil {
		return nil, nil, err
	}
	ca = inPEM("CERTIFICATE", authority.Raw)
	contents := map[string][]byte{caFile: ca, servingCert: inPEM("CERTIFICATE", serving.Raw)}
	for name, key := range map[string]*ecdsa.PrivateKey{servingKey: key, accountKey: accounts} {
		text, err := x509.MarshalECPrivateKey(key)
		if err != nil {
			return nil, nil, fmt.Errorf("write a key for the API server: %w", err)
		}
		contents[name] = inPEM("EC PRIVATE KEY", text)
	}
	tokens = map[User]string{Admin: rand.Text(), Unprivileged: rand.Text()}
	contents[tokensFile] = fmt.Appendf(nil, "%s,%s,%s,system:masters\n%s,%s,%s\n",
		tokens[Admin], Admin, Admin, tokens[Unprivileged], Unprivileged, Unprivileged)
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, nil, fmt.Errorf("write the API server's credentials: %w", err)
		}
	}
	return ca, tokens, nil
}

// certificate creates a key and a certificate for it. Without an authority it creates the
// self-signed certificate of one.
func certificate(name string, authority *x509.Certificate, by crypto.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key for %s: %w", name, err)
	}
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
	if authority == nil {
		form.IsCA, form.BasicConstraintsValid = true, true
		form.KeyUsage |= x509.KeyUsageCertSign
		authority, by = form, key
	} else {
		form.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		form.DNSNames = []string{"localhost", "kubernetes.default.svc"}
		form.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	signed, err := x509.CreateCertificate(rand.Reader, form, authority, key.Public(), by)
	if err != nil {
		return nil, nil, fmt.Errorf("make a certificate for %s: %w", name, err)
	}
	made, err := x509.ParseCertificate(signed)
	if err != nil {
		return nil, nil, fmt.Errorf("make a certificate for %s: %w", name, err)
	}
	return made, key, nil
}

func inPEM(kind string, bytes []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
}

// kubeconfigForm has a context for each user, of the user's name.
var kubeconfigForm = template.Must(template.New("kubeconfig").Parse(`apiVersion: v1
kind: Config
clusters:
- name: thinformer-e2e
  cluster:
    server: {{ .URL }}
    certificate-authority-data: {{ .CA }}
users:
{{- range $user, $token := .Tokens }}
- name: {{ $user }}
  user:
    token: {{ $token }}
{{- end }}
contexts:
{{- range $user, $token := .Tokens }}
- name: {{ $user }}
  context:
    cluster: thinformer-e2e
    user: {{ $user }}
    namespace: default
{{- end }}
current-context: admin
`))
