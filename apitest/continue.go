package apitest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// continuation is where a list goes on: what a continue token holds. It is
// opaque to clients, and yet the same as a kube-apiserver's.
type continuation struct {
	Form string `json:"v"`
	// Version of the list; negative is the newest, which is what those get
	// whose version was forgotten.
	Version int64 `json:"rv"`
	// Start is the path of where to go on, below that of the collection.
	Start string `json:"start"`
}

const continuationForm = "meta.k8s.io/v1"

func (c continuation) String() string {
	c.Form = continuationForm
	text, _ := json.Marshal(c) // two texts and a number cannot fail
	return base64.RawURLEncoding.EncodeToString(text)
}

// continueAfter is the token for what comes after an object.
func continueAfter(last key, namespace string, version uint64) string {
	start := "/" + last.name
	if namespace == "" && last.namespace != "" {
		start = "/" + last.namespace + start
	}
	return continuation{Version: int64(version), Start: start + "\x00"}.String()
}

// parseContinue reads a token.
func parseContinue(token string) (c continuation, err error) {
	invalid := errors.New("continue key is not valid")
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%w: %v", invalid, err)
	}
	from := "/" + strings.TrimPrefix(c.Start, "/")
	switch {
	case c.Form != continuationForm:
		return c, fmt.Errorf("%w: server does not recognize this encoded version %v", invalid, c.Form)
	case c.Version == 0:
		return c, fmt.Errorf("%w: incorrect encoded start resourceVersion (version %s)", invalid, continuationForm)
	case c.Start == "":
		return c, fmt.Errorf("%w: encoded start key empty (version %s)", invalid, continuationForm)
	case path.Clean(from) != from:
		return c, fmt.Errorf("%w: %v", invalid, c.Start)
	}
	return c, nil
}

// from is the key at which a list of a namespace, "" for all, goes on: after
// it, or with it.
func (c continuation) from(namespace string, namespaced bool) (at key, after bool) {
	start, after := strings.CutSuffix(strings.TrimPrefix(c.Start, "/"), "\x00")
	at = key{namespace: namespace, name: start}
	if namespaced && namespace == "" {
		at.namespace, at.name, _ = strings.Cut(start, "/")
	}
	return at, after
}
