package rest

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Config says how to reach a server and who is asking. The zero value of every
// field but Host is a good default. New copies it: later changes do nothing.
type Config struct {
	// Host is the server: https://host:port, host:port or host, with a path
	// before the API's if it is served below one. Without a scheme it is https
	// when TLS is set up or credentials are given, http otherwise. Credentials
	// are sent over http only to a Host that says http:// itself.
	Host string

	TLS TLSConfig

	// BearerToken is sent with every request. BearerTokenFile is read instead
	// where it is set: again at most once a minute, and at once after a 401.
	// BearerToken then stands in until the file can be read.
	BearerToken, BearerTokenFile string
	// Username and Password are sent as basic authentication.
	Username, Password string
	// Exec runs a credential plugin. Of a token, a user name and Exec only one
	// may be set; a client certificate goes with each of them. One that the
	// plugin hands out takes the place of that in TLS.
	Exec *ExecConfig
	// Impersonate makes every request in another's name.
	Impersonate ImpersonationConfig

	// Proxy chooses a proxy for a request: an http, https, socks5 or socks5h
	// URL; nil reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY from the environment.
	// The error that it returns is shown to those who make requests.
	Proxy func(*http.Request) (*url.URL, error)
	// Dial makes the connections; nil is a net.Dialer. Close waits for it, so
	// it must return when its context ends.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Transport takes the place of the connection and its TLS: TLS, Proxy and
	// Dial must not be set then. Credentials are still added to requests. It
	// stays its owner's: Close ends the requests on it and leaves it open.
	Transport http.RoundTripper
	// WrapTransport puts a layer around the transport, where it sees requests
	// with their credentials. It is called twice by New, for the short requests
	// and for the watches, and not again when certificates are renewed.
	WrapTransport func(http.RoundTripper) http.RoundTripper
	// DisableHTTP2 speaks HTTP/1.1 even where the server offers more.
	DisableHTTP2 bool
	// DisableCompression does not ask for gzip.
	DisableCompression bool

	// UserAgent of the requests; "" names the program and this library.
	UserAgent string
	// Timeout bounds a request from its start to the last byte of the answer.
	// Of a list it bounds the wait for each further part, and of a watch and of
	// Stream the wait for the answer to begin. 0 is no bound: contexts are.
	Timeout time.Duration
	// QPS and Burst limit the requests per second that this client sends,
	// watches excepted. 0 is no limit: the server has its own (API priority and
	// fairness), and it is better at it. A Burst of 0 is a second's worth.
	QPS   float32
	Burst int
	// RateLimiter takes the place of QPS and Burst. *rate.Limiter of
	// golang.org/x/time is one.
	RateLimiter RateLimiter

	// ContentType of what is sent; "" is JSON. AcceptContentTypes is the Accept
	// header of requests; "" is JSON, and before it protobuf for types that can
	// unmarshal it.
	ContentType, AcceptContentTypes string
	// PageSize is the limit asked for in each page of a list; 0 is 500,
	// negative asks for everything at once.
	PageSize int64
	// MaxResponseBytes bounds what Do and DoRaw read, and an object that is
	// not in a list or watch; 0 is 64 MiB.
	MaxResponseBytes int64
	// Decode is how lists and watches are decoded, unless a View says
	// otherwise.
	Decode DecodeOptions

	// WarningHandler is given the warnings that the server sends with its
	// answers; nil logs each different one once.
	WarningHandler WarningHandler
	// Logger is for what goes wrong out of any request's sight; nil is
	// slog.Default().
	Logger *slog.Logger
	// Trace is told about every request.
	Trace *Trace
}

// TLSConfig is how the server is known and how the client shows who it is. The
// files are read again when they change. Data wins over a file of the same kind.
type TLSConfig struct {
	// Insecure does not verify the server's certificate. Whoever is between may
	// then read and change everything, credentials included.
	Insecure bool
	// ServerName that the certificate must be for; "" is the host's.
	ServerName string
	// CertFile and KeyFile, or CertData and KeyData, are the client's
	// certificate in PEM. CAFile or CAData are the authorities that may vouch
	// for the server; neither: those of the system.
	CertFile, KeyFile, CAFile string
	CertData, KeyData, CAData []byte
	// NextProtos are the protocols offered in the handshake; nil is h2 and
	// http/1.1.
	NextProtos []string
}

// ImpersonationConfig is who a request is made as. The server must allow it.
type ImpersonationConfig struct {
	UserName string
	UID      string
	Groups   []string
	Extra    map[string][]string
}

// Copy is a config that shares nothing with this one that could be changed.
// Functions, Transport, RateLimiter, Logger and Trace are the same in both.
func (c *Config) Copy() *Config {
	if c == nil {
		return nil
	}
	own := *c
	own.TLS.CertData = bytes.Clone(c.TLS.CertData)
	own.TLS.KeyData = bytes.Clone(c.TLS.KeyData)
	own.TLS.CAData = bytes.Clone(c.TLS.CAData)
	own.TLS.NextProtos = slices.Clone(c.TLS.NextProtos)
	own.Impersonate.Groups = slices.Clone(c.Impersonate.Groups)
	own.Impersonate.Extra = maps.Clone(c.Impersonate.Extra)
	for key, values := range own.Impersonate.Extra {
		own.Impersonate.Extra[key] = slices.Clone(values)
	}
	if c.Exec != nil {
		plugin := *c.Exec
		plugin.Args = slices.Clone(plugin.Args)
		plugin.Env = slices.Clone(plugin.Env)
		plugin.Config = bytes.Clone(plugin.Config)
		own.Exec = &plugin
	}
	return &own
}

// logger is where the client reports what no request can.
func (c *Config) logger() *slog.Logger {
	if c.Logger != nil {
		return c.Logger
	}
	return slog.Default()
}

// RateLimiter holds requests back. Wait returns when one may go, or the
// context's error.
type RateLimiter interface {
	Wait(context.Context) error
}

// DecodeOptions are how the objects of lists and watches are decoded. The zero
// value is what a cache wants.
type DecodeOptions struct {
	// KeepManagedFields decodes metadata.managedFields as well, often a third
	// of an object, of which a cache has no use. What Get and the writes return
	// always has them.
	KeepManagedFields bool
	// ShareStrings keeps one copy of the strings that objects have in common:
	// label keys, namespaces, kinds, image names.
	ShareStrings Sharing
	// MaxObjectBytes bounds one object of a list or watch; 0 is 32 MiB.
	MaxObjectBytes int64
	// MaxDepth bounds how deep arrays and objects nest; 0 is 512.
	MaxDepth int
}

// Sharing says for which encodings strings are shared.
type Sharing int

const (
	// ShareJSON shares strings decoded from JSON, where it costs next to
	// nothing. It is the default.
	ShareJSON Sharing = iota
	// ShareAlways shares those from protobuf as well, at the price of a pass
	// over each object.
	ShareAlways
	// ShareNever copies every string.
	ShareNever
)
