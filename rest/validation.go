package rest

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/thinformer/thinformer/internal/transport"
)

// validate returns an error for contradictory or invalid fields. No error shows a
// secret.
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
		return errors.New("Config.Username has a colon, which is invalid in basic authentication")
	case !transport.FitsHeader(c.BearerToken):
		return errors.New("Config.BearerToken has characters that are invalid in a header, such as a line break")
	case !transport.FitsHeader(c.UserAgent):
		return fmt.Errorf("Config.UserAgent %q has characters that are invalid in a header", c.UserAgent)
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
		return errors.New("Config.TLS has both Insecure and certificate authorities: Insecure disables the check against them")
	}
	return nil
}

func (i *ImpersonationConfig) validate() error {
	if i.UserName == "" {
		if i.UID != "" || len(i.Groups) > 0 || len(i.Extra) > 0 {
			return errors.New("Config.Impersonate has a UID, groups or extra without UserName: the server requires a user name")
		}
		return nil
	}
	if !transport.FitsHeader(i.UserName) || !transport.FitsHeader(i.UID) {
		return errors.New("Config.Impersonate: UserName or UID has characters that are invalid in a header")
	}
	for _, group := range i.Groups {
		if !transport.FitsHeader(group) {
			return fmt.Errorf("Config.Impersonate: group %q has characters that are invalid in a header", group)
		}
	}
	for key, values := range i.Extra {
		for _, value := range values {
			if !transport.FitsHeader(value) {
				return fmt.Errorf("Config.Impersonate: a value of extra %q has characters that are invalid in a header", key)
			}
		}
	}
	return nil
}

func (c *Config) validateTransport() error {
	if c.Transport == nil {
		return nil
	}
	var ignored []string
	if c.TLS.isSet() {
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

// validateBounds rejects negative bounds, except for PageSize and QPS: negative
// values disable paging and the limit.
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
		{"Config.Decode.MaxObjectMemory", c.Decode.MaxObjectMemory},
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
