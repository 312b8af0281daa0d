package rest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

const (
	impersonateUser  = "Impersonate-User"
	impersonateUID   = "Impersonate-Uid"
	impersonateGroup = "Impersonate-Group"
	impersonateExtra = "Impersonate-Extra-"
)

func (i *ImpersonationConfig) validate() error {
	if i.UserName == "" {
		if i.UID != "" || len(i.Groups) > 0 || len(i.Extra) > 0 {
			return errors.New("Config.Impersonate has a UID, groups or extra without UserName: the server wants to know whose they are")
		}
		return nil
	}
	if !fitsHeader(i.UserName) || !fitsHeader(i.UID) {
		return errors.New("Config.Impersonate: UserName or UID has characters that a header cannot carry")
	}
	for _, group := range i.Groups {
		if !fitsHeader(group) {
			return fmt.Errorf("Config.Impersonate: group %q has characters that a header cannot carry", group)
		}
	}
	for key, values := range i.Extra {
		for _, value := range values {
			if !fitsHeader(value) {
				return fmt.Errorf("Config.Impersonate: a value of extra %q has characters that a header cannot carry", key)
			}
		}
	}
	return nil
}

// addTo puts the headers on a request, unless it has one of them already: half
// of one and half of the other would be somebody whom nobody has asked for.
func (i *ImpersonationConfig) addTo(header http.Header) {
	if i.UserName == "" {
		return
	}
	for name := range header {
		if strings.HasPrefix(name, "Impersonate-") {
			return
		}
	}
	header.Set(impersonateUser, i.UserName)
	if i.UID != "" {
		header.Set(impersonateUID, i.UID)
	}
	for _, group := range i.Groups {
		header.Add(impersonateGroup, group)
	}
	for key, values := range i.Extra {
		for _, value := range values {
			header.Add(impersonateExtra+escapeExtraKey(key), value)
		}
	}
}

// escapeExtraKey writes a key as the end of a header's name: what such a name
// cannot hold, and the percent sign itself, percent-escaped. The server lowers
// the name and then takes the escapes back.
func escapeExtraKey(key string) string {
	var escaped strings.Builder
	for i := range len(key) {
		if b := key[i]; isTokenByte(b) && b != '%' {
			escaped.WriteByte(b)
		} else {
			fmt.Fprintf(&escaped, "%%%02X", b)
		}
	}
	return escaped.String()
}

// isTokenByte is whether a header's name may hold b (RFC 9110, token).
func isTokenByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}
