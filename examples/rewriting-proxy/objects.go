package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
)

// Endpoints has the addresses of a service.
type Endpoints struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Subsets           []Subset `json:"subsets,omitempty"`
}

// Subset has addresses with the same ports.
type Subset struct {
	Addresses         []Address `json:"addresses,omitempty"`
	NotReadyAddresses []Address `json:"notReadyAddresses,omitempty"`
	Ports             []Port    `json:"ports,omitempty"`
}

// Address of a pod.
type Address struct {
	IP string `json:"ip"`
}

// Port of a service.
type Port struct {
	Port int `json:"port"`
}

// fill creates a service on the embedded server.
func fill(srv *apitest.Server) {
	apitest.Create(nil, srv, &Endpoints{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Subsets: []Subset{{
			Addresses:         []Address{{"10.1.0.4"}, {"10.1.0.5"}},
			NotReadyAddresses: []Address{{"10.1.0.6"}},
			Ports:             []Port{{8080}},
		}},
	})
}
