package rest

import (
	"context"
	"math"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/transport"
)

func TestContradictoryConfigsAreErrors(t *testing.T) {
	plugin := func(change func(*ExecConfig)) Config {
		e := &ExecConfig{Command: "plugin", APIVersion: transport.ExecV1}
		change(e)
		return Config{Exec: e}
	}
	for name, c := range map[string]struct {
		config Config
		why    string
	}{
		"token and basic":        {Config{BearerToken: "SECRET", Username: "u", Password: "SECRET"}, "a bearer token and a user name"},
		"token file and basic":   {Config{BearerTokenFile: "f", Username: "u"}, "a bearer token and a user name"},
		"token and exec":         {Config{BearerToken: "SECRET", Exec: &ExecConfig{Command: "c", APIVersion: transport.ExecV1}}, "a bearer token and Exec"},
		"basic and exec":         {Config{Username: "u", Exec: &ExecConfig{Command: "c", APIVersion: transport.ExecV1}}, "and Exec"},
		"password alone":         {Config{Password: "SECRET"}, "without Username"},
		"colon in the user":      {Config{Username: "a:b"}, "colon"},
		"line in the token":      {Config{BearerToken: "SECRET\r\nX: y"}, "BearerToken"},
		"space after the token":  {Config{BearerToken: "SECRET "}, "BearerToken"},
		"line in the user agent": {Config{UserAgent: "a\nb"}, "UserAgent"},

		"certificate without key":  {Config{TLS: TLSConfig{CertFile: "f"}}, "without its key"},
		"key without certificate":  {Config{TLS: TLSConfig{KeyData: []byte("SECRET")}}, "without the client certificate"},
		"insecure and authorities": {Config{TLS: TLSConfig{Insecure: true, CAFile: "f"}}, "Insecure"},
		"invalid certificate":      {Config{TLS: TLSConfig{CertData: []byte("x"), KeyData: []byte("SECRET")}}, "Config.TLS"},
		"invalid authorities": {Config{TLS: TLSConfig{CAData: []byte("x")}},
			"read the certificate authorities from Config.TLS: it contains no PEM certificate"},
		"missing file":    {Config{TLS: TLSConfig{CAFile: "/nowhere/ca.crt"}}, "/nowhere/ca.crt: no such file"},
		"unreadable file": {Config{TLS: TLSConfig{CertFile: "/", KeyFile: "/"}}, "read /: is a directory"},

		"transport and TLS":   {Config{Transport: http.DefaultTransport, TLS: TLSConfig{Insecure: true}}, "together with TLS"},
		"transport and proxy": {Config{Transport: http.DefaultTransport, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}, "together with Proxy"},
		"transport and dial": {Config{Transport: http.DefaultTransport, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, nil }},
			"together with Dial"},
		"WrapTransport returns nil": {Config{WrapTransport: func(http.RoundTripper) http.RoundTripper { return nil }}, "WrapTransport returned nil"},

		"negative timeout":        {Config{Timeout: -1}, "Config.Timeout is negative"},
		"negative burst":          {Config{QPS: 1, Burst: -1}, "Config.Burst is negative"},
		"negative idle burst":     {Config{Burst: -1}, "the config's Burst is -1"},
		"negative response limit": {Config{MaxResponseBytes: -1}, "Config.MaxResponseBytes is negative"},
		"negative object limit":   {Config{Decode: DecodeOptions{MaxObjectBytes: -1}}, "Config.Decode.MaxObjectBytes is negative"},
		"negative depth limit":    {Config{Decode: DecodeOptions{MaxDepth: -1}}, "Config.Decode.MaxDepth is negative"},
		"QPS is not a number":     {Config{QPS: float32(math.NaN())}, "Config.QPS is NaN"},
		"QPS is infinite":         {Config{QPS: float32(math.Inf(1))}, "Config.QPS is +Inf"},

		"groups without a user": {Config{Impersonate: ImpersonationConfig{Groups: []string{"g"}}}, "without UserName"},
		"line in a group":       {Config{Impersonate: ImpersonationConfig{UserName: "u", Groups: []string{"a\nb"}}}, "group"},
		"line in the extra":     {Config{Impersonate: ImpersonationConfig{UserName: "u", Extra: map[string][]string{"k": {"SECRET\n"}}}}, `extra "k"`},

		"no command":         {plugin(func(e *ExecConfig) { e.Command = "" }), "no Command"},
		"no version":         {plugin(func(e *ExecConfig) { e.APIVersion = "" }), `APIVersion is ""`},
		"old version":        {plugin(func(e *ExecConfig) { e.APIVersion = "client.authentication.k8s.io/v1alpha1" }), "v1alpha1"},
		"unknown mode":       {plugin(func(e *ExecConfig) { e.Interactive = "Sometimes" }), "Sometimes"},
		"config is not JSON": {plugin(func(e *ExecConfig) { e.Config = []byte("SECRET") }), "Config is not JSON"},
		"bad variable":       {plugin(func(e *ExecConfig) { e.Env = []ExecEnv{{"A=B", "SECRET"}} }), "A=B"},
	} {
		c.config.Host = "https://server"
		_, err := New(&c.config)
		require.ErrorContains(t, err, c.why, name)
		require.NotContains(t, err.Error(), "SECRET", name)
	}
}

func TestNewRejectsANilConfig(t *testing.T) {
	_, err := New(nil)
	require.Error(t, err)
}
