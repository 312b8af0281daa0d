package transport

import (
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

// addTo sets the headers of a request, unless it has an impersonation header
// already: a mix of both would be another user.
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

// escapeExtraKey escapes a key for the end of a header name: bytes that a name
// cannot contain, and the percent sign, are percent-escaped. The server converts
// the name to lower case and then unescapes it.
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
