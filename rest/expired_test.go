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
)

// A server that looks at certificates by itself, as kube-apiserver does, says no
// more to an expired one than that it is unauthorized. The error says why.
func TestAnExpiredCertificateIsTheReasonOf401(t *testing.T) {
	vouching := newAuthority(t, "authority")
	server := vouching.serve(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`, http.StatusUnauthorized)
	}, func(s *httptest.Server) { s.TLS.ClientAuth = tls.RequestClientCert })
	ask := func(until time.Time) error {
		cert, key := vouching.issue("me", func(c *x509.Certificate) { c.NotBefore, c.NotAfter = until.Add(-time.Hour), until })
		client, err := New(&Config{Host: server.URL, TLS: TLSConfig{CAData: vouching.pem, CertData: cert, KeyData: key}})
		require.NoError(t, err)
		defer client.Close()
		return client.Get().AbsPath("/api").Do(t.Context()).Error()
	}
	past := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	err := ask(past)
	require.True(t, apierrors.IsUnauthorized(err), err)
	require.ErrorContains(t, err, "Unauthorized (the client certificate from Config.TLS expired at 2024-05-01T12:00:00Z)")
	require.NotContains(t, ask(time.Now().Add(time.Hour)).Error(), "expired")
}
