package main

import "github.com/thinformer/thinformer/rest"

// SlimPod is what a program needs that wants to know where its pods run. The
// rest of a pod is skipped as it arrives: not decoded, not kept.
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
