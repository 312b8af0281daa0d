package transport

import (
	"context"
	"encoding/base64"
)

// authenticator provides the Authorization header of requests.
type authenticator interface {
	// authorize returns the current authorization. It may have to be fetched first,
	// which ctx bounds.
	authorize(ctx context.Context) (authorization, error)
	// rejected is called after a 401 response to p. It fetches the current
	// credentials and reports whether they differ, so that a retry makes sense.
	rejected(ctx context.Context, auth authorization) bool
}

// authorization is the credential of one request.
type authorization struct {
	// header is the value of the Authorization header; "" is none.
	header string
	// version distinguishes this authorization from earlier and later ones.
	version uint64
}

// staticAuthorization is a header that does not change, or none.
type staticAuthorization string

func (s staticAuthorization) authorize(context.Context) (authorization, error) {
	return authorization{header: string(s)}, nil
}

func (s staticAuthorization) rejected(context.Context, authorization) bool { return false }

func bearer(token string) string { return "Bearer " + token }

func basic(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

// newAuthenticator returns the authenticator for the config, except for Exec.
func (c *Config) newAuthenticator(t timeouts) authenticator {
	switch {
	case c.BearerTokenFile != "":
		return newTokenFile(c.BearerTokenFile, c.BearerToken, t.tokenReadInterval, c.logger())
	case c.BearerToken != "":
		return staticAuthorization(bearer(c.BearerToken))
	case c.Username != "":
		return staticAuthorization(basic(c.Username, c.Password))
	}
	return staticAuthorization("")
}
