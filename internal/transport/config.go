package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
)

// ErrClosed is the error of requests on a Connection that has been closed.
var ErrClosed = errors.New("the client is closed")

// Config has the address of a server, the credentials and the options of a
// Connection. Its fields are those of the same names in rest.Config, which explains
// them. rest has validated them.
type Config struct {
	// Base is the URL of the server, with the path before those of the API.
	Base *url.URL
	TLS  TLSConfig

	BearerToken, BearerTokenFile string
	Username, Password           string
	Exec                         *ExecConfig
	Impersonate                  ImpersonationConfig

	Proxy         func(*http.Request) (*url.URL, error)
	Dial          func(ctx context.Context, network, address string) (net.Conn, error)
	Transport     http.RoundTripper
	WrapTransport func(http.RoundTripper) http.RoundTripper

	DisableHTTP2, DisableCompression bool
	UserAgent                        string
	Logger                           *slog.Logger
}

// TLSConfig authenticates the server and the client.
type TLSConfig struct {
	Insecure                  bool
	ServerName                string
	CertFile, KeyFile, CAFile string
	CertData, KeyData, CAData []byte
	NextProtos                []string
}

// ImpersonationConfig is the user that requests are made as.
type ImpersonationConfig struct {
	UserName string
	UID      string
	Groups   []string
	Extra    map[string][]string
}

// ExecConfig is a credential plugin.
type ExecConfig struct {
	Command            string
	Args               []string
	Env                []ExecEnv
	APIVersion         string
	InstallHint        string
	ProvideClusterInfo bool
	Config             []byte
	Interactive        string
}

// ExecEnv is one environment variable.
type ExecEnv struct{ Name, Value string }

func (c *Config) logger() *slog.Logger {
	if c.Logger != nil {
		return c.Logger
	}
	return slog.Default()
}
