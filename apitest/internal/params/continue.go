package params

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// Continuation is the content of a continue token: the position at which a list
// continues. It is opaque to clients, but has the format of a kube-apiserver.
type Continuation struct {
	TokenVersion string `json:"v"`
	// Version is the version of the list. A negative value means the newest version,
	// for a list whose version has expired.
	Version int64 `json:"rv"`
	// Start is the path of the next object, relative to the collection.
	Start string `json:"start"`
}

const tokenVersion = "meta.k8s.io/v1"

func (c Continuation) String() string {
	c.TokenVersion = tokenVersion
	text, _ := json.Marshal(c) // strings and an integer can always be encoded
	return base64.RawURLEncoding.EncodeToString(text)
}

// ContinueAfter returns the token for the objects after a key.
func ContinueAfter(last storage.Key, namespace string, version uint64) string {
	start := "/" + last.Name
	if namespace == "" && last.Namespace != "" {
		start = "/" + last.Namespace + start
	}
	return Continuation{Version: int64(version), Start: start + "\x00"}.String()
}

// ParseContinue parses a token.
func ParseContinue(token string) (c Continuation, err error) {
	invalid := errors.New("continue key is not valid")
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%w: %v", invalid, err)
	}
	key := "/" + strings.TrimPrefix(c.Start, "/")
	switch {
	case c.TokenVersion != tokenVersion:
		return c, fmt.Errorf("%w: server does not recognize this encoded version %v", invalid, c.TokenVersion)
	case c.Version == 0:
		return c, fmt.Errorf("%w: incorrect encoded start resourceVersion (version %s)", invalid, tokenVersion)
	case c.Start == "":
		return c, fmt.Errorf("%w: encoded start key empty (version %s)", invalid, tokenVersion)
	case path.Clean(key) != key:
		return c, fmt.Errorf("%w: %v", invalid, c.Start)
	}
	return c, nil
}

// From returns the key at which a list of a namespace, "" for all, continues. after
// reports whether the list excludes that key.
func (c Continuation) From(namespace string, namespaced bool) (at storage.Key, after bool) {
	start, after := strings.CutSuffix(strings.TrimPrefix(c.Start, "/"), "\x00")
	at = storage.Key{Namespace: namespace, Name: start}
	if namespaced && namespace == "" {
		at.Namespace, at.Name, _ = strings.Cut(start, "/")
	}
	return at, after
}
