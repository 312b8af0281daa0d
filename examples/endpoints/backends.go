package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// Endpoints and EndpointSlice have the fields that are needed for an upstream. Other
// fields are skipped while decoding.
type (
	Endpoints struct {
		rest.SlimMeta `json:"metadata"`
		Subsets       []Subset `json:"subsets,omitempty"`
	}
	Subset struct {
		Addresses         []Address `json:"addresses,omitempty"`
		NotReadyAddresses []Address `json:"notReadyAddresses,omitempty"`
		Ports             []Port    `json:"ports,omitempty"`
	}
	Address struct {
		IP string `json:"ip"`
	}
	// Port has no Port in a slice if the slice applies to any port.
	Port struct {
		Name     string `json:"name,omitempty"`
		Port     int32  `json:"port,omitempty"`
		Protocol string `json:"protocol,omitempty"`
	}

	EndpointSlice struct {
		SliceMeta   `json:"metadata"`
		AddressType string     `json:"addressType"`
		Endpoints   []Endpoint `json:"endpoints"`
		Ports       []Port     `json:"ports,omitempty"`
	}
	SliceMeta struct {
		rest.SlimMeta `json:",inline"`
		Labels        map[string]string `json:"labels,omitempty"`
	}
	Endpoint struct {
		Addresses  []string   `json:"addresses"`
		Conditions Conditions `json:"conditions,omitzero"`
	}
	// Conditions of an endpoint. An unknown Ready counts as true.
	Conditions struct {
		Ready *bool `json:"ready,omitempty"`
	}
)

var (
	endpointsInfo = rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "endpoints"},
		Kind:                 "Endpoints", Namespaced: true,
	}
	slicesInfo = rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
		Kind:                 "EndpointSlice", Namespaced: true,
	}
)

// part is an object with backends of a service: Endpoints has all of them, an
// EndpointSlice some.
type part interface {
	rest.Object
	// service returns the name of the service, "" if the part belongs to none.
	service() string
	// backends returns the backends, sorted and without duplicates; wrong describes
	// the ones that were left out.
	backends() (all []backend, wrong []string)
}

// backend is a server of an upstream. It is comparable, so that two states of an object
// can be compared.
type backend struct {
	port   string // the name of the port; "" for the only port of a service
	server netip.AddrPort
	down   bool
}

func (a backend) compare(b backend) int {
	return cmp.Or(cmp.Compare(a.port, b.port), a.server.Compare(b.server))
}

// changed reports whether an update changes backends: the usual comparison of an ingress
// controller. A leader election that uses an annotation of Endpoints updates them every
// two seconds, without a change of backends.
func changed[T part](old, new T) bool {
	oldBackends, wasWrong := old.backends()
	newBackends, isWrong := new.backends()
	return old.service() != new.service() || !slices.Equal(oldBackends, newBackends) || !slices.Equal(wasWrong, isWrong)
}

func (e *Endpoints) service() string { return e.Name }

func (e *Endpoints) backends() ([]backend, []string) {
	var c collection
	for _, subset := range e.Subsets {
		for _, port := range subset.Ports {
			for _, address := range subset.Addresses {
				c.add(address.IP, port, false)
			}
			for _, address := range subset.NotReadyAddresses {
				c.add(address.IP, port, true)
			}
		}
	}
	return c.sorted()
}

func (s *EndpointSlice) service() string { return s.Labels["kubernetes.io/service-name"] }

func (s *EndpointSlice) backends() ([]backend, []string) {
	var c collection
	for _, port := range s.Ports {
		for _, endpoint := range s.Endpoints {
			if len(endpoint.Addresses) == 0 {
				continue
			}
			// According to the API, further addresses have no meaning. Host names are
			// left out like invalid addresses: nginx does not start unless a DNS server
			// resolves them.
			c.add(endpoint.Addresses[0], port, endpoint.Conditions.Ready != nil && !*endpoint.Conditions.Ready)
		}
	}
	return c.sorted()
}

// collection collects the backends of a part.
type collection struct {
	good  []backend
	wrong []string
}

var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// add validates its arguments: they are written to a file that nginx executes.
func (c *collection) add(ip string, port Port, down bool) {
	address, err := netip.ParseAddr(ip)
	switch {
	case port.Protocol != "" && port.Protocol != "TCP": // not for HTTP
	case err != nil || address.Zone() != "":
		c.wrong = append(c.wrong, fmt.Sprintf("%q is not an IP address", ip))
	case port.Port < 1 || port.Port > 65535:
		c.wrong = append(c.wrong, fmt.Sprintf("%d is not a port", port.Port))
	case port.Name != "" && !label.MatchString(port.Name):
		c.wrong = append(c.wrong, fmt.Sprintf("%q is not a port name", port.Name))
	default:
		c.good = append(c.good, backend{port.Name, netip.AddrPortFrom(address.Unmap(), uint16(port.Port)), down})
	}
}

func (c *collection) sorted() ([]backend, []string) {
	slices.Sort(c.wrong)
	return merged(c.good), slices.Compact(c.wrong)
}

// merged sorts the backends and removes duplicates; a backend is ready if any duplicate
// is: while an endpoint moves between slices, it is in both.
func merged(all []backend) []backend {
	slices.SortFunc(all, func(a, b backend) int {
		ready := 0
		if a.down != b.down {
			ready = 1
			if b.down {
				ready = -1
			}
		}
		return cmp.Or(a.compare(b), ready)
	})
	return slices.CompactFunc(all, func(a, b backend) bool { return a.compare(b) == 0 })
}
