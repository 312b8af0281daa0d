package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// For any response of an API server, the client receives JSON without the addresses that
// the rule replaces.
func FuzzRewrite(f *testing.F) {
	const object = `{"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"a"},"subsets":[{"addresses":[{"ip":"10.1.1.1"}],"ports":[{"port":80}]}]}`
	for _, seed := range []string{
		object, `{"kind":"Status","apiVersion":"v1","status":"Failure"}`,
		`{"kind":"EndpointsList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[` + object + `,` + object + `]}`,
		`{"items":null,"kind":"EndpointsList"}`, `{"kind":"EndpointsList","items":[null]}`, `{"items":[` + object + `],"items":[` + object + `]}`,
		`{"type":"ADDED","object":` + object + `}` + "\n" + `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2"}}}`,
		`{"type":"ERROR","object":{"kind":"Status","code":410}}`, `{"type":"ADDED","object":` + object[:40],
		`{"kind":"Endpoints","subsets":[{"addresses":[{"ip":"10.1.1.1"}]}],"subsets":7}`,
	} {
		f.Add([]byte(seed))
	}
	router := netip.MustParseAddr("192.0.2.1")
	change := routerRules(router)[schema.GroupResource{Resource: "endpoints"}]
	f.Fuzz(func(t *testing.T, response []byte) {
		for name, rewrite := range map[string]func(*bufio.Writer, values, *rewriter) error{
			"object": rewriteObject, "list": rewriteList, "watch": rewriteWatch,
		} {
			var sent bytes.Buffer
			out := bufio.NewWriter(&sent)
			err := rewrite(out, valuesOf(bytes.NewReader(response)), &rewriter{rule: change})
			if err != nil {
				continue // the response is aborted
			}
			if err := out.Flush(); err != nil {
				t.Fatal(err)
			}
			for decoder := json.NewDecoder(&sent); decoder.More(); {
				var value map[string]any
				if err := decoder.Decode(&value); err != nil {
					t.Fatalf("%s: %q is not JSON: %v", name, sent.String(), err)
				}
				for _, object := range objectsIn(name, value) {
					if ip := unreplaced(object, router.String()); ip != "" {
						t.Errorf("%s: the client receives %[3]s of %[2]q", name, response, ip)
					}
				}
			}
		}
	})
}

// objectsIn returns the objects that the rule applies to.
func objectsIn(response string, value map[string]any) (objects []any) {
	switch response {
	case "list":
		objects, _ = value["items"].([]any)
	case "watch":
		if typ, _ := value["type"].(string); strings.Contains("ADDED MODIFIED DELETED", typ) {
			objects = []any{value["object"]}
		}
	default:
		objects = []any{value}
	}
	return objects
}

// unreplaced returns an address of an object that is not the router's.
func unreplaced(object any, router string) string {
	fields, _ := object.(map[string]any)
	if fields["kind"] == "Status" {
		return ""
	}
	subsets, _ := fields["subsets"].([]any)
	for _, subset := range subsets {
		fields, _ := subset.(map[string]any)
		addresses, _ := fields["addresses"].([]any)
		for _, address := range addresses {
			if fields, _ := address.(map[string]any); fields["ip"] != nil && fields["ip"] != router {
				text, _ := json.Marshal(fields["ip"])
				return string(text)
			}
		}
	}
	return ""
}
