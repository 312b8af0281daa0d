package apitest

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// openAPI serves of OpenAPI v3 what lets kubectl leave validation to the server:
// for each kind a PATCH, with the parameter fieldValidation. There are no
// schemas. Of version 2, which kubectl asks about kinds that it does not find
// there, it is a document without a path.
func (c *call) openAPI(rest string) error {
	form, of, _ := strings.Cut(rest, "/")
	if form == "v2" && of == "" {
		return c.openAPI2()
	}
	if form != "v3" {
		return errNotServed
	}
	all := c.server.registry.catalog()
	if of == "" {
		return c.openAPIIndex(all)
	}
	for _, group := range all {
		for _, v := range group.versions {
			if apiPath(v.GroupVersion) == of {
				return c.openAPIDocument(v)
			}
		}
	}
	return errNotServed
}

func (c *call) openAPIIndex(all catalog) error {
	type place struct {
		URL string `json:"serverRelativeURL"`
	}
	paths := map[string]place{}
	for _, group := range all {
		for _, v := range group.versions {
			text, err := json.Marshal(v.openAPI())
			if err != nil {
				return err
			}
			paths[apiPath(v.GroupVersion)] = place{fmt.Sprintf("/openapi/v3/%s?hash=%X", apiPath(v.GroupVersion), sha512.Sum512(text))}
		}
	}
	return c.openAPIAnswer(map[string]any{"paths": paths})
}

func (c *call) openAPIDocument(v catalogVersion) error {
	if c.query.Has("hash") {
		c.w.Header().Set("Cache-Control", "public, immutable")
	}
	return c.openAPIAnswer(v.openAPI())
}

func (c *call) openAPIAnswer(document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	out := newOutput(c.w, c.r, http.StatusOK, mimeJSON)
	_, _ = out.Write(text) // fails only when the client has gone
	_ = out.Close()
	return nil
}

// The document of version 2, in JSON and in the protobuf that client-go reads: its
// swagger, 1, its info, 2, of a title, 1, and a version, 2, and its paths, 8.
const (
	openAPI2JSON         = `{"swagger":"2.0","info":{"title":"Kubernetes","version":"v1.36.3"},"paths":{}}`
	openAPI2Protobuf     = "\x0a\x032.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.36.3\x42\x00"
	openAPI2Asked        = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	mimeOpenAPI2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
)

func (c *call) openAPI2() error {
	text, kind := openAPI2JSON, mimeJSON
	for _, asked := range c.r.Header.Values("Accept") {
		if strings.Contains(asked, openAPI2Asked) || strings.Contains(asked, mimeOpenAPI2Protobuf) {
			text, kind = openAPI2Protobuf, mimeOpenAPI2Protobuf
		}
	}
	out := newOutput(c.w, c.r, http.StatusOK, kind)
	_, _ = out.Write([]byte(text)) // fails only when the client has gone
	_ = out.Close()
	return nil
}

// openAPI is the document of a version.
func (v *catalogVersion) openAPI() map[string]any {
	paths := map[string]any{}
	for _, r := range v.resources {
		where := "/" + apiPath(v.GroupVersion)
		if r.Namespaced {
			where += "/namespaces/{namespace}"
		}
		where += "/" + r.GroupVersionResource.Resource + "/{name}"
		paths[where] = map[string]any{"patch": r.openAPIPatch(r.GroupVersion().WithKind(r.Kind))}
		for _, p := range r.parts() {
			paths[where+"/"+p.name] = map[string]any{"patch": r.openAPIPatch(p.kind)}
		}
	}
	return map[string]any{
		"openapi": "3.0.0",
		"info":    map[string]any{"title": "Kubernetes", "version": "v1.36.3"},
		"paths":   paths,
	}
}

func (r *resource) openAPIPatch(of schema.GroupVersionKind) map[string]any {
	var parameters []any
	for _, name := range []string{"dryRun", "fieldManager", "fieldValidation", "pretty"} {
		parameters = append(parameters, map[string]any{"name": name, "in": "query", "schema": map[string]any{"type": "string", "uniqueItems": true}})
	}
	return map[string]any{
		"operationId":                     "patch" + of.Group + of.Version + of.Kind,
		"parameters":                      parameters,
		"responses":                       map[string]any{"200": map[string]any{"description": "OK"}},
		"x-kubernetes-action":             "patch",
		"x-kubernetes-group-version-kind": map[string]any{"group": of.Group, "version": of.Version, "kind": of.Kind},
	}
}
