package transport

import (
	"net/url"

	"github.com/thinformer/thinformer/internal/brief"
)

// maxURLLen bounds the length of a URL in errors, such as that of a redirect.
const maxURLLen = 512

// RedactURL formats a URL for errors: without user, query and fragment.
func RedactURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return brief.Text(shown.String(), maxURLLen)
}

// WithoutURL unwraps a *url.Error: its URL may contain secrets.
func WithoutURL(err error) error {
	for {
		wrapped, ok := err.(*url.Error)
		if !ok {
			return err
		}
		err = wrapped.Err
	}
}
