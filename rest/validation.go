package rest

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// validate says what in a config contradicts itself or could not be sent. No
// error shows a secret.
func (c *Config) validate() error {
	return errors.Join(
		c.validateCredentials(),
		c.TLS.validate(),
		c.validateTransport(),
		c.validateBounds(),
		c.Impersonate.validate(),
		c.Exec.validate(),
	)
}

func (c *Config) validateCredentials() error {
	var given []string
	if c.BearerToken != "" || c.BearerTokenFile != "" {
		given = append(given, "a bearer token")
	}
	if c.Username != "" || c.Password != "" {
		given = append(given, "a user name and password")
	}
	if c.Exec != nil {
		given = append(given, "Exec")
	}
	switch {
	case len(given) > 1:
		return fmt.Errorf("Config has %s: a request can carry only one of them", strings.Join(given, " and "))
	case c.Password != "" && c.Username == "":
		return errors.New("Config.Password is set without Username")
	case strings.Contains(c.Username, ":"):
		return errors.New("Config.Username has a colon, which basic authentication cannot carry")
	case !fitsHeader(c.BearerToken):
		return errors.New("Config.BearerToken has characters that a header cannot carry, such as a line break")
	case !fitsHeader(c.UserAgent):
		return fmt.Errorf("Config.UserAgent %q has characters that a header cannot carry", c.UserAgent)
	}
	return nil
}

func (t *TLSConfig) validate() error {
	switch {
	case t.hasCertificate() && !t.hasKey():
		return errors.New("Config.TLS has a client certificate without its key: set KeyFile or KeyData")
	case t.hasKey() && !t.hasCertificate():
		return errors.New("Config.TLS has a key without the client certificate: set CertFile or CertData")
	case t.Insecure && t.hasCA():
		return errors.New("Config.TLS has Insecure and authorities: the server's certificate is either checked against them or not at all")
	}
	return nil
}

func (c *Config) validateTransport() error {
	if c.Transport == nil {
		return nil
	}
	var ignored []string
	if c.TLS.used() {
		ignored = append(ignored, "TLS")
	}
	if c.Proxy != nil {
		ignored = append(ignored, "Proxy")
	}
	if c.Dial != nil {
		ignored = append(ignored, "Dial")
	}
	if len(ignored) > 0 {
		return fmt.Errorf("Config.Transport is set together with %s: set it up in the transport itself", strings.Join(ignored, " and "))
	}
	return nil
}

// validateBounds refuses bounds that nothing fits in. PageSize and QPS may be
// negative: no pages, no limit.
func (c *Config) validateBounds() error {
	for _, bound := range []struct {
		name  string
		value int64
	}{
		{"Config.Timeout", int64(c.Timeout)},
		{"Config.Burst", int64(c.Burst)},
		{"Config.MaxResponseBytes", c.MaxResponseBytes},
		{"Config.Decode.MaxObjectBytes", c.Decode.MaxObjectBytes},
		{"Config.Decode.MaxDepth", int64(c.Decode.MaxDepth)},
	} {
		if bound.value < 0 {
			return fmt.Errorf("%s is negative: 0 is its default", bound.name)
		}
	}
	if qps := float64(c.QPS); math.IsNaN(qps) || math.IsInf(qps, 0) {
		return fmt.Errorf("Config.QPS is %v: 0 is no limit", c.QPS)
	}
	return nil
}

// fitsHeader is whether a value can be sent as a header: no control characters
// but tab, no space at its ends.
func fitsHeader(value string) bool {
	for i := range len(value) {
		if b := value[i]; b < ' ' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return value == strings.Trim(value, " \t")
}
