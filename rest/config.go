package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/thinformer/thinformer/internal/transport"
)

// Config has the address of a server, the credentials and the options of a client.
// Only Host is required. New copies the Config: later changes have no effect.
type Config struct {
	// Host is the server: https://host:port, host:port or host. A path is added
	// before those of the API. Without a scheme it is https if TLS or credentials
	// are set, and http otherwise. Credentials are sent over http only if Host
	// begins with http://.
	Host string

	TLS TLSConfig

	// BearerToken is sent with every request. BearerTokenFile, if set, takes
	// precedence: it is read at most once a minute, and again after a 401.
	// BearerToken is used until the file can be read.
	BearerToken, BearerTokenFile string
	// Username and Password are sent as basic authentication.
	Username, Password string
	// Exec runs a credential plugin. At most one of a token, a user name and Exec
	// may be set; a client certificate can be combined with each. A certificate
	// from the plugin replaces the one in TLS.
	Exec *ExecConfig
	// Impersonate sends every request as another user.
	Impersonate ImpersonationConfig

	// Proxy returns the proxy for a request: an http, https, socks5 or socks5h URL.
	// Nil uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment. An error of
	// Proxy is part of the error of the request.
	Proxy func(*http.Request) (*url.URL, error)
	// Dial opens connections; nil uses a net.Dialer. Client.Close waits for Dial,
	// so Dial must return when its context ends.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Transport replaces the connections and their TLS: TLS, Proxy and Dial must
	// not be set. Credentials are still added to requests. Client.Close ends the
	// requests on the Transport, but does not close it.
	Transport http.RoundTripper
	// WrapTransport wraps the transport. It sees requests with their credentials.
	// New calls it twice, for short requests and for watches. It is not called
	// again when certificates are renewed.
	WrapTransport func(http.RoundTripper) http.RoundTripper
	// DisableHTTP2 uses HTTP/1.1 even if the server offers HTTP/2.
	DisableHTTP2 bool
	// DisableCompression does not request gzip.
	DisableCompression bool

	// UserAgent is the User-Agent of requests. Default: the program and this
	// library.
	UserAgent string
	// Timeout bounds a request from its start to the last byte of the response. For
	// a list it bounds the wait for each further part; for a watch and for Stream
	// it bounds the wait for the response header. 0 means no bound other than the
	// context.
	Timeout time.Duration
	// QPS and Burst limit the requests per second of this client, watches excepted.
	// 0 is no limit: API priority and fairness limits requests on the server, where
	// the load is known. A Burst of 0 allows the requests of one second at once.
	QPS   float32
	Burst int
	// RateLimiter replaces QPS and Burst, such as a *rate.Limiter of
	// golang.org/x/time.
	RateLimiter RateLimiter

	// ContentType is the media type of request bodies; "" is JSON.
	// AcceptContentTypes is the Accept header; "" is JSON, preceded by protobuf for
	// types that can unmarshal it.
	ContentType, AcceptContentTypes string
	// PageSize is the limit of each page of a list; negative disables paging. 0 is 500
	// for the first page and twice the previous one for each further page, up to 10,000.
	PageSize int64
	// MaxResponseBytes bounds the response that Do and DoRaw read, and a single
	// object; 0 is 64 MiB. It does not apply to lists and watches.
	MaxResponseBytes int64
	// Decode configures the decoding of lists and watches, unless a View overrides
	// it.
	Decode DecodeOptions

	// WarningHandler receives the warnings in responses; nil logs each different
	// one once.
	WarningHandler WarningHandler
	// Logger receives failures that belong to no request; nil is slog.Default().
	Logger *slog.Logger
	// Trace reports every request.
	Trace *Trace
}

// TLSConfig authenticates the server and the client. Files are read again when they
// change. Data takes precedence over a file of the same kind.
type TLSConfig struct {
	// Insecure disables the verification of the server's certificate. An attacker
	// on the network can then read and change everything, including credentials.
	Insecure bool
	// ServerName is the name that the server's certificate must have; "" is the
	// host's.
	ServerName string
	// CertFile and KeyFile, or CertData and KeyData, are the client's certificate
	// in PEM. CAFile or CAData are the certificate authorities for the server.
	// Default: those of the system.
	CertFile, KeyFile, CAFile string
	CertData, KeyData, CAData []byte
	// NextProtos are the protocols for ALPN; nil is h2 and http/1.1.
	NextProtos []string
}

// ImpersonationConfig is the user that requests are made as. The server must allow
// it.
type ImpersonationConfig struct {
	UserName string
	UID      string
	Groups   []string
	Extra    map[string][]string
}

// Copy returns a deep copy, in which only functions, Transport, RateLimiter, Logger
// and Trace are shared with c.
func (c *Config) Copy() *Config {
	if c == nil {
		return nil
	}
	clone := *c
	clone.TLS.CertData = bytes.Clone(c.TLS.CertData)
	clone.TLS.KeyData = bytes.Clone(c.TLS.KeyData)
	clone.TLS.CAData = bytes.Clone(c.TLS.CAData)
	clone.TLS.NextProtos = slices.Clone(c.TLS.NextProtos)
	clone.Impersonate.Groups = slices.Clone(c.Impersonate.Groups)
	clone.Impersonate.Extra = maps.Clone(c.Impersonate.Extra)
	for key, values := range clone.Impersonate.Extra {
		clone.Impersonate.Extra[key] = slices.Clone(values)
	}
	if c.Exec != nil {
		plugin := *c.Exec
		plugin.Args = slices.Clone(plugin.Args)
		plugin.Env = slices.Clone(plugin.Env)
		plugin.Config = bytes.Clone(plugin.Config)
		clone.Exec = &plugin
	}
	return &clone
}

// transport returns the part of a valid config that concerns connections. It shares
// the slices and maps of c.
func (c *Config) transport(base *url.URL) *transport.Config {
	t := &transport.Config{
		Base:        base,
		TLS:         transport.TLSConfig(c.TLS),
		BearerToken: c.BearerToken, BearerTokenFile: c.BearerTokenFile,
		Username: c.Username, Password: c.Password,
		Impersonate: transport.ImpersonationConfig(c.Impersonate),
		Proxy:       c.Proxy, Dial: c.Dial, Transport: c.Transport, WrapTransport: c.WrapTransport,
		DisableHTTP2: c.DisableHTTP2, DisableCompression: c.DisableCompression,
		UserAgent: c.UserAgent, Logger: c.Logger,
	}
	if e := c.Exec; e != nil {
		t.Exec = &transport.ExecConfig{
			Command: e.Command, Args: e.Args, APIVersion: e.APIVersion, InstallHint: e.InstallHint,
			ProvideClusterInfo: e.ProvideClusterInfo, Config: e.Config, Interactive: e.Interactive,
		}
		for _, variable := range e.Env {
			t.Exec.Env = append(t.Exec.Env, transport.ExecEnv(variable))
		}
	}
	return t
}

// RateLimiter limits the rate of requests. Wait returns when a request may be sent,
// or the error of the context.
type RateLimiter interface {
	Wait(context.Context) error
}

// DecodeOptions configure the decoding of lists and watches. The zero value suits a
// cache.
type DecodeOptions struct {
	// KeepManagedFields decodes metadata.managedFields. They are often a third of
	// an object, and a cache does not need them. Get and the writes always return
	// them.
	KeepManagedFields bool
	// ShareStrings keeps one copy of the strings that objects have in common: label
	// keys, namespaces, kinds, image names.
	ShareStrings StringSharing
	// MaxObjectBytes bounds one object of a list or watch; 0 is 32 MiB.
	MaxObjectBytes int64
	// MaxDepth bounds the nesting of arrays and objects; 0 is 512.
	MaxDepth int
	// MaxObjectMemory bounds the memory of one object: an item of a list, an event,
	// or a single response. It does not bound lists: see Result.Into. A few bytes
	// can encode a large Go struct. The elements of slices and maps and the targets
	// of pointers count, each with the size of its Go type. Strings do not count,
	// since MaxObjectBytes bounds them. A type's own UnmarshalJSON is not called if
	// its result could exceed the bound: each JSON value counts as the largest
	// element that the type can hold. 0 is 256 MiB.
	MaxObjectMemory int64
}

// StringSharing selects the encodings for which strings are shared.
type StringSharing int

const (
	// ShareJSON shares strings decoded from JSON, at almost no cost. It is the
	// default.
	ShareJSON StringSharing = iota
	// ShareAlways shares strings decoded from protobuf as well, at the cost of a
	// pass over each object.
	ShareAlways
	// ShareNever copies every string.
	ShareNever
)

// ExecConfig is a credential plugin, as specified by client.authentication.k8s.io.
// It runs before the first request, when the credentials expire and when the server
// rejects them; concurrent requests share one run. Its standard error is that of
// this process. Its standard output is never shown.
//
// A plugin that takes too long, or whose request has ended, is killed together with
// the processes that it has started. On Windows, and if it may prompt the user at a
// terminal, only the plugin itself is killed.
type ExecConfig struct {
	// Command is the program to run, found as by os/exec; a relative path is
	// relative to the working directory.
	Command string
	Args    []string
	// Env is added to the process's own environment.
	Env []ExecEnv
	// APIVersion is the protocol version: client.authentication.k8s.io/v1 or
	// v1beta1.
	APIVersion string
	// InstallHint is shown when the command is not found.
	InstallHint string
	// ProvideClusterInfo passes the server's address and certificate authorities to
	// the program.
	ProvideClusterInfo bool
	// Config is cluster-specific configuration for the program, as raw JSON. It is
	// passed with ProvideClusterInfo.
	Config []byte
	// Interactive is Never, IfAvailable or Always; "" is IfAvailable. Unless it is
	// Never, the program gets the standard input if that is a terminal. With
	// Always, a standard input that is not a terminal is an error.
	Interactive string
}

// ExecEnv is one environment variable.
type ExecEnv struct{ Name, Value string }

func (e *ExecConfig) validate() error {
	switch {
	case e == nil:
		return nil
	case e.Command == "":
		return errors.New("Config.Exec has no Command")
	case e.APIVersion != transport.ExecV1 && e.APIVersion != transport.ExecV1beta1:
		return fmt.Errorf("Config.Exec of %s: APIVersion is %q: it must be %s or %s", e.Command, e.APIVersion, transport.ExecV1, transport.ExecV1beta1)
	case e.Interactive != "" && e.Interactive != transport.ExecNever && e.Interactive != transport.ExecIfAvailable && e.Interactive != transport.ExecAlways:
		return fmt.Errorf("Config.Exec of %s: Interactive is %q: it must be %s, %s or %s", e.Command, e.Interactive, transport.ExecNever, transport.ExecIfAvailable, transport.ExecAlways)
	case len(e.Config) > 0 && !json.Valid(e.Config):
		return fmt.Errorf("Config.Exec of %s: Config is not JSON", e.Command)
	}
	for _, variable := range e.Env {
		if variable.Name == "" || strings.ContainsAny(variable.Name, "=\x00") || strings.Contains(variable.Value, "\x00") {
			return fmt.Errorf("Config.Exec of %s: %q is not a valid environment variable", e.Command, variable.Name)
		}
	}
	return nil
}
