package rest

import (
	"context"
	"encoding/base64"
)

// credential is who is asking, as far as a header says it.
type credential interface {
	// pass is what to show now. It may have to be fetched first, which ctx
	// bounds.
	pass(ctx context.Context) (pass, error)
	// refused is called when the server has answered 401 to p. It fetches what
	// is valid now and reports whether that is something else, so that asking
	// again makes sense.
	refused(ctx context.Context, p pass) bool
}

// pass is shown with one request.
type pass struct {
	// authorization is the value of the header; "" is none.
	authorization string
	// number tells the pass from those fetched before and after it.
	number uint64
}

// fixed is a credential that stays what it is, or none.
type fixed string

func (f fixed) pass(context.Context) (pass, error) { return pass{authorization: string(f)}, nil }

func (f fixed) refused(context.Context, pass) bool { return false }

func bearer(token string) string { return "Bearer " + token }

func basic(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

// credential is the one that the config names, but for Exec.
func (c *Config) credential(t timing) credential {
	switch {
	case c.BearerTokenFile != "":
		return newTokenFile(c.BearerTokenFile, c.BearerToken, t.tokenLife, c.logger())
	case c.BearerToken != "":
		return fixed(bearer(c.BearerToken))
	case c.Username != "":
		return fixed(basic(c.Username, c.Password))
	}
	return fixed("")
}
