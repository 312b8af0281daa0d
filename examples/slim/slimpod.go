package main

import "github.com/thinformer/thinformer/rest"

// SlimPod has the fields of a program that needs the nodes of its pods. All other fields
// are skipped while decoding.
type SlimPod struct {
	rest.SlimMeta `json:"metadata"` // name, namespace, uid, version
	Spec          struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}
