package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/column"
	"github.com/thinformer/thinformer/rest"
)

// cell is a column of the table: its header, and a function for its values.
type cell struct {
	header string
	value  func(object map[string]any) string
}

var (
	age = at("AGE", "date", ".metadata.creationTimestamp")

	// known has the columns of kinds whose columns the server does not list. kubectl
	// asks the server for the table; this program makes the table of the objects in its
	// informer.
	known = map[schema.GroupResource][]cell{
		{Resource: "pods"}: {
			{"READY", readyContainers}, at("STATUS", "string", ".status.phase"), {"RESTARTS", restarts}, age,
		},
		{Resource: "services"}: {
			at("TYPE", "string", ".spec.type"), at("CLUSTER-IP", "string", ".spec.clusterIP"), age,
		},
		{Resource: "nodes"}: {
			at("READY", "string", `.status.conditions[?(@.type=="Ready")].status`), at("VERSION", "string", ".status.nodeInfo.kubeletVersion"), age,
		},
		{Resource: "namespaces"}: {at("STATUS", "string", ".status.phase"), age},
		{Resource: "configmaps"}: {{"DATA", entries("data", "binaryData")}, age},
		{Resource: "secrets"}:    {at("TYPE", "string", ".type"), {"DATA", entries("data")}, age},
		{Resource: "events"}: {
			at("TYPE", "string", ".type"), at("REASON", "string", ".reason"), at("KIND", "string", ".involvedObject.kind"),
			at("OBJECT", "string", ".involvedObject.name"), at("MESSAGE", "string", ".message"),
		},
		{Group: "apps", Resource: "deployments"}: {
			ratio("READY", ".status.readyReplicas", ".spec.replicas"), count("UP-TO-DATE", ".status.updatedReplicas"),
			count("AVAILABLE", ".status.availableReplicas"), age,
		},
		{Group: "apps", Resource: "replicasets"}: {
			count("DESIRED", ".spec.replicas"), count("CURRENT", ".status.replicas"), count("READY", ".status.readyReplicas"), age,
		},
		{Group: "apps", Resource: "statefulsets"}: {ratio("READY", ".status.readyReplicas", ".spec.replicas"), age},
		{Group: "apps", Resource: "daemonsets"}:   {ratio("READY", ".status.numberReady", ".status.desiredNumberScheduled"), age},
		{Group: "batch", Resource: "jobs"}:        {ratio("COMPLETIONS", ".status.succeeded", ".spec.completions"), age},
		{Group: "coordination.k8s.io", Resource: "leases"}: {
			at("HOLDER", "string", ".spec.holderIdentity"), age,
		},
	}
)

// columnsOf returns the columns of a resource: the known ones, or those of its
// definition, or, if it has none or it cannot be read, the age.
func columnsOf(ctx context.Context, client *rest.Client, info rest.ResourceInfo) []cell {
	if columns, ok := known[info.GroupResource()]; ok {
		return columns
	}
	if !strings.Contains(info.Group, ".") {
		return []cell{age}
	}
	definitions := rest.NewView[*definition](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	})
	crd, err := definitions.Get(ctx, info.GroupResource().String(), metav1.GetOptions{})
	if err != nil {
		return []cell{age}
	}
	return crd.columns(info.Version)
}

// definition has the fields of a CustomResourceDefinition that are used here.
type definition struct {
	rest.SlimMeta `json:"metadata"`
	Spec          struct {
		Versions []struct {
			Name    string          `json:"name"`
			Columns []column.Column `json:"additionalPrinterColumns"`
		} `json:"versions"`
	} `json:"spec"`
}

func (d *definition) columns(version string) (columns []cell) {
	for _, v := range d.Spec.Versions {
		if v.Name != version {
			continue
		}
		for _, c := range v.Columns {
			if c.Priority == 0 { // the others are for kubectl get -o wide
				columns = append(columns, cell{strings.ToUpper(c.Name), text(c)})
			}
		}
	}
	if columns == nil {
		columns = []cell{age}
	}
	return columns
}

// at returns the column of a path.
func at(head, kind, path string) cell {
	return cell{head, text(column.Column{Type: kind, JSONPath: path})}
}

func text(c column.Column) func(map[string]any) string {
	valueOf := c.Cell()
	return func(object map[string]any) string {
		if value := valueOf(object); value != nil {
			return fmt.Sprint(value)
		}
		return ""
	}
}

// number returns the number at a path, 0 if there is none: the API omits zeros.
func number(path string) func(object map[string]any) int64 {
	valueOf := column.Column{Type: "integer", JSONPath: path}.Cell()
	return func(object map[string]any) int64 {
		n, _ := valueOf(object).(int64)
		return n
	}
}

func count(head, path string) cell {
	n := number(path)
	return cell{head, func(object map[string]any) string { return fmt.Sprint(n(object)) }}
}

// ratio returns a column with an actual and a desired number.
func ratio(head, have, want string) cell {
	n, m := number(have), number(want)
	return cell{head, func(object map[string]any) string { return fmt.Sprintf("%d/%d", n(object), m(object)) }}
}

// readyContainers returns the number of ready containers of a pod, and of all.
func readyContainers(pod map[string]any) string {
	ready := 0
	for status := range elements(pod, "status", "containerStatuses") {
		if status["ready"] == true {
			ready++
		}
	}
	all := 0
	for range elements(pod, "spec", "containers") {
		all++
	}
	return fmt.Sprintf("%d/%d", ready, all)
}

func restarts(pod map[string]any) string {
	var n int64
	for status := range elements(pod, "status", "containerStatuses") {
		count, _ := status["restartCount"].(int64)
		n += count
	}
	return fmt.Sprint(n)
}

// elements iterates over the objects in a list.
func elements(object map[string]any, where, what string) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		in, _ := object[where].(map[string]any)
		list, _ := in[what].([]any)
		for _, element := range list {
			if fields, ok := element.(map[string]any); ok && !yield(fields) {
				return
			}
		}
	}
}

// entries returns the number of entries of some maps.
func entries(fields ...string) func(map[string]any) string {
	return func(object map[string]any) string {
		n := 0
		for _, field := range fields {
			values, _ := object[field].(map[string]any)
			n += len(values)
		}
		return fmt.Sprint(n)
	}
}
