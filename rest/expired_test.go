package rest

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/internal/tlstest"
)

// kube-apiserver verifies client certificates after the TLS handshake. It responds to
// an expired one with a 401 that does not mention the expiration. The client adds it to the error.
func TestTheErrorOfA401NamesAnExpiredCertificate(t *testing.T) {
	authority := tlstest.NewAuthority(t, "authority")
	server := authority.Serve(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`, http.StatusUnauthorized)
	}, func(s *httptest.Server) { s.TLS.ClientAuth = tls.RequestClientCert })
	requestWithCertificateUntil := func(until time.Time) error {
		cert, key := authority.Issue("me", func(c *x509.Certificate) { c.NotBefore, c.NotAfter = until.Add(-time.Hour), until })
		client, err := New(&Config{Host: server.URL, TLS: TLSConfig{CAData: authority.PEM, CertData: cert, KeyData: key}})
		require.NoError(t, err)
		defer client.Close()
		return client.Get().AbsPath("/api").Do(t.Context()).Error()
	}
	past := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	err := requestWithCertificateUntil(past)
	require.True(t, apierrors.IsUnauthorized(err), err)
	require.ErrorContains(t, err, "Unauthorized (the client certificate from Config.TLS expired at 2024-05-01T12:00:00Z)")
	require.NotContains(t, requestWithCertificateUntil(time.Now().Add(time.Hour)).Error(), "expired")
}
