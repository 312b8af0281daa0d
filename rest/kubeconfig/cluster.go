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

// cluster is where a server is and how it is known.
type cluster struct {
	origin                string
	server, tlsServerName string
	insecure              bool
	caFile                string
	caData                []byte
	proxy                 string
	disableCompression    bool
	execExtension         node // what the cluster has to say to a plugin
}

func readCluster(n node, origin, folder string) *cluster {
	c := &cluster{
		origin:             origin,
		server:             n.at("server").text(),
		tlsServerName:      n.at("tls-server-name").text(),
		insecure:           n.at("insecure-skip-tls-verify").flag(),
		caFile:             resolve(folder, n.at("certificate-authority").text()),
		caData:             n.at("certificate-authority-data").data(),
		proxy:              n.at("proxy-url").text(),
		disableCompression: n.at("disable-compression").flag(),
	}
	for item := range n.at("extensions").items() {
		item = item.fields()
		if item.at("name").text() == "client.authentication.k8s.io/exec" {
			c.execExtension = item.at("extension")
		}
	}
	return c
}

// apply writes what the cluster says into the config.
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
	if !c.secure() {
		if c.schemeless() && (c.tlsServerName != "" || c.insecure || c.caFile != "" || c.caData != nil) {
			return fmt.Errorf("the TLS settings would not be used: %w", errNoScheme)
		}
		return nil
	}
	config.TLS.ServerName = c.tlsServerName
	if config.TLS.Insecure = c.insecure; c.insecure {
		if c.caFile != "" || c.caData != nil {
			return errors.New("insecure-skip-tls-verify and certificate-authority exclude each other")
		}
		return nil
	}
	config.TLS.CAData = c.caData
	if c.caData == nil {
		config.TLS.CAFile = c.caFile
		return readable("certificate-authority", c.caFile)
	}
	return nil
}

// secure is whether the server will be spoken to by TLS. As for kubectl, one
// that does not say https is http. Where kubectl then drops TLS settings and
// credentials without a word, they are an error here, unless it says http.
func (c *cluster) secure() bool {
	scheme, _, ok := strings.Cut(c.server, "://")
	return ok && strings.EqualFold(scheme, "https")
}

// schemeless servers are http, without a word of it.
func (c *cluster) schemeless() bool { return !strings.Contains(c.server, "://") }

var errNoScheme = errors.New("server says neither http:// nor https://, which means http: write https://")

// checkServer never repeats an address that may hold a password.
func checkServer(server string) error {
	if server == "" {
		return errors.New("it has no server")
	}
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	at, err := url.Parse(server)
	switch {
	case err != nil:
		return fmt.Errorf("server is not a URL: %w", reasonOf(err))
	case at.Scheme != "https" && at.Scheme != "http":
		return fmt.Errorf("server is neither https nor http, but %q", cut(at.Scheme))
	case at.Hostname() == "":
		return errors.New("server is a URL without a host")
	case at.User != nil:
		return errors.New("server is a URL with a user in it, which belongs under users")
	case at.RawQuery != "" || at.Fragment != "":
		return errors.New("server is a URL with a query or fragment, which cannot lead to a server")
	}
	return nil
}

func parseProxy(text string) (*url.URL, error) {
	proxy, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("proxy-url is not a URL: %w", reasonOf(err))
	case proxy.Scheme != "http" && proxy.Scheme != "https" && proxy.Scheme != "socks5":
		return nil, fmt.Errorf("proxy-url is none of http, https and socks5, but %q", cut(proxy.Scheme))
	case proxy.Hostname() == "":
		return nil, errors.New("proxy-url is a URL without a host")
	}
	return proxy, nil
}

// reasonOf is why a URL was not understood, without the URL. Of the reasons,
// those that quote a piece of it are cut.
func reasonOf(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	reason, _, _ := strings.Cut(err.Error(), `"`)
	return errors.New(strings.TrimSpace(reason))
}

// readable finds a file that is missing while it can still be said what for.
func readable(field, path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return f.Close()
}
