package rest

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// serverURL returns the URL of the server: scheme, address, and the path before the
// API's paths, without a trailing slash.
//
// Text before an @ may be a password, and text after a ? may be a token. Both are
// rejected, and errors do not quote them. Errors do not quote an invalid port either:
// it may be a password whose @ is missing.
func (c *Config) serverURL() (*url.URL, error) {
	host := c.Host
	switch {
	case host == "":
		return nil, errors.New("Config.Host is empty: set it to the address of the server")
	case strings.ContainsAny(host, "?#"):
		return nil, errors.New("Config.Host has a query or a fragment: it must be the address of a server, with an optional path")
	case strings.Contains(host, "@"):
		return nil, errors.New("Config.Host has an @: credentials belong in Username, Password or BearerToken")
	case !strings.Contains(host, "://") && strings.Contains(host, ":/"):
		return nil, errors.New("Config.Host has a colon before its path, and neither a port nor a scheme: a scheme ends with ://")
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() { // without brackets, perhaps with a zone
		host = "[" + strings.Replace(host, "%", "%25", 1) + "]"
	}
	if !strings.Contains(host, "://") {
		host = c.defaultScheme() + "://" + host
	}
	server, err := url.Parse(host)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		reason, _, _ := strings.Cut(err.Error(), `"`) // a quotation of the host follows
		return nil, fmt.Errorf("Config.Host is not a server address: %s", strings.TrimSpace(reason))
	}
	if err := checkServer(server); err != nil {
		return nil, fmt.Errorf("Config.Host: %w", err)
	}
	server.Host = strings.TrimSuffix(server.Host, ":")
	server.Path = strings.TrimRight(server.Path, "/")
	server.RawPath = strings.TrimRight(server.RawPath, "/")
	return server, nil
}

func checkServer(server *url.URL) error {
	switch {
	case server.Scheme != "http" && server.Scheme != "https":
		return fmt.Errorf("the scheme is %q: it must be https or http", server.Scheme)
	case server.Hostname() == "":
		return errors.New("no host")
	}
	if port := server.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("the port must be from 1 to 65535")
		}
	}
	for segment := range strings.SplitSeq(server.Path, "/") {
		if segment == "." || segment == ".." {
			return fmt.Errorf("the path has a segment %q", segment)
		}
	}
	return nil
}

// defaultScheme returns https if credentials or TLS are configured.
func (c *Config) defaultScheme() string {
	if c.TLS.isSet() || c.BearerToken != "" || c.BearerTokenFile != "" || c.Username != "" || c.Exec != nil {
		return "https"
	}
	return "http"
}

// isSet reports whether any field is set.
func (t *TLSConfig) isSet() bool {
	return t.Insecure || t.ServerName != "" || t.hasCertificate() || t.hasKey() || t.hasCA() || len(t.NextProtos) > 0
}

func (t *TLSConfig) hasCertificate() bool { return t.CertFile != "" || len(t.CertData) > 0 }
func (t *TLSConfig) hasKey() bool         { return t.KeyFile != "" || len(t.KeyData) > 0 }
func (t *TLSConfig) hasCA() bool          { return t.CAFile != "" || len(t.CAData) > 0 }
