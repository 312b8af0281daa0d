package kubeconfig

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/thinformer/thinformer/rest"
)

// cluster is an entry of clusters: the address of a server and its TLS settings.
type cluster struct {
	origin                string
	server, tlsServerName string
	insecure              bool
	caFile                string
	caData                []byte
	proxy                 string
	disableCompression    bool
	execExtension         node // the config that is passed to an exec plugin
}

func readCluster(n node, origin, dir string) *cluster {
	c := &cluster{
		origin:             origin,
		server:             n.field("server").stringValue(),
		tlsServerName:      n.field("tls-server-name").stringValue(),
		insecure:           n.field("insecure-skip-tls-verify").boolValue(),
		caFile:             resolvePath(dir, n.field("certificate-authority").stringValue()),
		caData:             n.field("certificate-authority-data").base64Value(),
		proxy:              n.field("proxy-url").stringValue(),
		disableCompression: n.field("disable-compression").boolValue(),
	}
	for item := range n.field("extensions").items() {
		item = item.mapping()
		if item.field("name").stringValue() == "client.authentication.k8s.io/exec" {
			c.execExtension = item.field("extension")
		}
	}
	return c
}

// apply sets the fields of config that the cluster determines.
func (c *cluster) apply(config *rest.Config) error {
	if err := checkServer(c.server); err != nil {
		return err
	}
	config.Host = c.server
	config.DisableCompression = c.disableCompression
	if c.proxy != "" {
		proxy, err := parseProxy(c.proxy)
		if err != nil {
			return err
		}
		config.Proxy = http.ProxyURL(proxy)
	}
	if !c.usesTLS() {
		if c.lacksScheme() && (c.tlsServerName != "" || c.insecure || c.caFile != "" || c.caData != nil) {
			return fmt.Errorf("TLS settings require https: %w", errNoScheme)
		}
		return nil
	}
	config.TLS.ServerName = c.tlsServerName
	if config.TLS.Insecure = c.insecure; c.insecure {
		if c.caFile != "" || c.caData != nil {
			return errors.New("insecure-skip-tls-verify and certificate-authority are mutually exclusive")
		}
		return nil
	}
	config.TLS.CAData = c.caData
	if c.caData == nil {
		config.TLS.CAFile = c.caFile
		return checkReadable("certificate-authority", c.caFile)
	}
	return nil
}

// usesTLS reports whether the server has the scheme https. As in kubectl, a server
// without a scheme uses http. kubectl then drops TLS settings and credentials
// silently; here they are an error, unless the scheme is http.
func (c *cluster) usesTLS() bool {
	scheme, _, ok := strings.Cut(c.server, "://")
	return ok && strings.EqualFold(scheme, "https")
}

// lacksScheme reports whether the server has no scheme, which means http.
func (c *cluster) lacksScheme() bool { return !strings.Contains(c.server, "://") }

var errNoScheme = errors.New("server has no scheme, which means http: add https://")

// checkServer validates the address. Its errors do not contain the address, which may
// hold a password.
func checkServer(server string) error {
	if server == "" {
		return errors.New("server is empty")
	}
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	parsed, err := url.Parse(server)
	switch {
	case err != nil:
		return fmt.Errorf("server is not a URL: %w", urlErrorReason(err))
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return fmt.Errorf("server has the scheme %q: want https or http", truncate(parsed.Scheme))
	case parsed.Hostname() == "":
		return errors.New("server has no host")
	case parsed.User != nil:
		return errors.New("server contains a user: put it under users")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return errors.New("server contains a query or a fragment: remove it")
	}
	return nil
}

func parseProxy(text string) (*url.URL, error) {
	proxy, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("proxy-url is not a URL: %w", urlErrorReason(err))
	case proxy.Scheme != "http" && proxy.Scheme != "https" && proxy.Scheme != "socks5":
		return nil, fmt.Errorf("proxy-url has the scheme %q: want http, https or socks5", truncate(proxy.Scheme))
	case proxy.Hostname() == "":
		return nil, errors.New("proxy-url has no host")
	}
	return proxy, nil
}

// urlErrorReason returns the reason of a URL parse error without any part of the
// URL.
func urlErrorReason(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	reason, _, _ := strings.Cut(err.Error(), `"`)
	return errors.New(strings.TrimSpace(reason))
}

// checkReadable opens a file, so that the error for a missing file names the field.
func checkReadable(field, path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return f.Close()
}
