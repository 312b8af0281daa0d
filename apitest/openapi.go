package apitest

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// openAPI serves the parts of OpenAPI v3 by which kubectl leaves validation to
// the server: a PATCH for each kind, with the parameter fieldValidation, and no
// schemas. For version 2, which kubectl requests for kinds that it does not
// find in v3, it serves a document without paths.
func (c *call) openAPI(rest string) error {
	prefix, version, _ := strings.Cut(rest, "/")
	if prefix == "v2" && version == "" {
		return c.openAPI2()
	}
	if prefix != "v3" {
		return registry.ErrNotServed
	}
	all := c.server.registry.Catalog()
	if version == "" {
		return c.openAPIIndex(all)
	}
	for _, group := range all {
		for _, v := range group.Versions {
			if registry.APIPath(v.GroupVersion) == version {
				return c.openAPIDocument(v)
			}
		}
	}
	return registry.ErrNotServed
}

func (c *call) openAPIIndex(all registry.Catalog) error {
	type location struct {
		URL string `json:"serverRelativeURL"`
	}
	paths := map[string]location{}
	for _, group := range all {
		for _, v := range group.Versions {
			text, err := json.Marshal(v.OpenAPI())
			if err != nil {
				return err
			}
			paths[registry.APIPath(v.GroupVersion)] = location{fmt.Sprintf("/openapi/v3/%s?hash=%X", registry.APIPath(v.GroupVersion), sha512.Sum512(text))}
		}
	}
	return c.openAPIAnswer(map[string]any{"paths": paths})
}

func (c *call) openAPIDocument(v registry.CatalogVersion) error {
	if c.query.Has("hash") {
		c.w.Header().Set("Cache-Control", "public, immutable")
	}
	return c.openAPIAnswer(v.OpenAPI())
}

func (c *call) openAPIAnswer(document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	out := response.NewOutput(c.w, c.r, http.StatusOK, response.MediaTypeJSON)
	_, _ = out.Write(text) // fails only when the client has disconnected
	_ = out.Close()
	return nil
}

// The document of version 2, in JSON and in the protobuf that client-go reads:
// its swagger, field 1, its info, field 2, with a title, field 1, and a
// version, field 2, and its paths, field 8.
const (
	openAPI2JSON         = `{"swagger":"2.0","info":{"title":"Kubernetes","version":"` + registry.KubernetesVersion + `"},"paths":{}}`
	openAPI2Protobuf     = "\x0a\x032.0\x12" + string(rune(len(openAPI2Info))) + openAPI2Info + "\x42\x00"
	openAPI2Info         = "\x0a\x0aKubernetes\x12" + string(rune(len(registry.KubernetesVersion))) + registry.KubernetesVersion
	openAPI2Asked        = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	mimeOpenAPI2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
)

func (c *call) openAPI2() error {
	text, kind := openAPI2JSON, response.MediaTypeJSON
	for _, asked := range c.r.Header.Values("Accept") {
		if strings.Contains(asked, openAPI2Asked) || strings.Contains(asked, mimeOpenAPI2Protobuf) {
			text, kind = openAPI2Protobuf, mimeOpenAPI2Protobuf
		}
	}
	out := response.NewOutput(c.w, c.r, http.StatusOK, kind)
	_, _ = out.Write([]byte(text)) // fails only when the client has disconnected
	_ = out.Close()
	return nil
}
