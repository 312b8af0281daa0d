package main

import (
	"net/netip"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// rule changes an object on its way to a client, and reports whether it has. An error
// aborts the response: the client must not receive an object that should have been
// changed. It must be safe for concurrent use.
type rule func(obj *unstructured.Unstructured) (changed bool, err error)

// routed returns the rules of this example: they replace the addresses of a service by
// the router.
func routerRules(router netip.Addr) map[schema.GroupResource]rule {
	return map[schema.GroupResource]rule{
		{Resource: "endpoints"}:                                 func(obj *unstructured.Unstructured) (bool, error) { return routeEndpoints(obj, router) },
		{Group: "discovery.k8s.io", Resource: "endpointslices"}: func(obj *unstructured.Unstructured) (bool, error) { return routeSlice(obj, router) },
	}
}

// routeEndpoints replaces the addresses of each non-empty subset by the router. The ports
// are kept.
func routeEndpoints(obj *unstructured.Unstructured, router netip.Addr) (changed bool, err error) {
	subsets, _, err := unstructured.NestedSlice(obj.Object, "subsets")
	if err != nil {
		return false, err
	}
	for _, subset := range subsets {
		subset, ok := subset.(map[string]any)
		if addresses, _ := subset["addresses"].([]any); !ok || len(addresses) == 0 {
			continue
		}
		subset["addresses"] = []any{map[string]any{"ip": router.String()}}
		delete(subset, "notReadyAddresses")
		changed = true
	}
	if changed {
		obj.Object["subsets"] = subsets
	}
	return changed, nil
}

// routeSlice does the same to an EndpointSlice: one endpoint, if any is ready.
func routeSlice(obj *unstructured.Unstructured, router netip.Addr) (changed bool, err error) {
	endpoints, _, err := unstructured.NestedSlice(obj.Object, "endpoints")
	if err != nil || len(endpoints) == 0 {
		return false, err
	}
	instead := []any{} // not every client accepts null
	for _, endpoint := range endpoints {
		endpoint, _ := endpoint.(map[string]any)
		// An unknown condition means ready.
		if ready, known, _ := unstructured.NestedBool(endpoint, "conditions", "ready"); ready || !known {
			instead = []any{map[string]any{
				"addresses":  []any{router.String()},
				"conditions": map[string]any{"ready": true},
			}}
			break
		}
	}
	obj.Object["endpoints"] = instead
	obj.Object["addressType"] = "IPv4"
	if router.Is6() {
		obj.Object["addressType"] = "IPv6"
	}
	return true, nil
}
