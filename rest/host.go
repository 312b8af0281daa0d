package rest

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// serverURL is where Host says the server is: scheme, address, and the path
// that the API is served below, without a slash at its end.
//
// What stands before an @ may be a password, and what stands behind a ? a
// token. They are refused, and no error repeats them, nor what stands in the
// place of a port: it may be a password whose @ was forgotten.
func (c *Config) serverURL() (*url.URL, error) {
	host := c.Host
	switch {
	case host == "":
		return nil, errors.New("Config.Host is empty: it names the server")
	case strings.ContainsAny(host, "?#"):
		return nil, errors.New("Config.Host has a query or a fragment: it must be a server's address and at most a path")
	case strings.Contains(host, "@"):
		return nil, errors.New("Config.Host has an @: credentials belong in Username, Password or BearerToken")
	case !strings.Contains(host, "://") && strings.Contains(host, ":/"):
		return nil, errors.New("Config.Host has a colon before its path, and neither a port nor a scheme: a scheme ends with ://")
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() { // by itself, perhaps with a zone
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
		reason, _, _ := strings.Cut(err.Error(), `"`) // then comes a piece of it
		return nil, fmt.Errorf("Config.Host is no server's address: %s", strings.TrimSpace(reason))
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

// defaultScheme: who shows credentials or checks certificates means https.
func (c *Config) defaultScheme() string {
	if c.TLS.used() || c.BearerToken != "" || c.BearerTokenFile != "" || c.Username != "" || c.Exec != nil {
		return "https"
	}
	return "http"
}

// used is whether anything is set.
func (t *TLSConfig) used() bool {
	return t.Insecure || t.ServerName != "" || t.hasCertificate() || t.hasKey() || t.hasCA() || len(t.NextProtos) > 0
}

func (t *TLSConfig) hasCertificate() bool { return t.CertFile != "" || len(t.CertData) > 0 }
func (t *TLSConfig) hasKey() bool         { return t.KeyFile != "" || len(t.KeyData) > 0 }
func (t *TLSConfig) hasCA() bool          { return t.CAFile != "" || len(t.CAData) > 0 }

// plainURL is a URL as errors may show it: without user, query and fragment.
func plainURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return shown.String()
}
