package kinds

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Builtin returns the table of resources. It is built once; callers must not
// modify it.
var Builtin = sync.OnceValue(func() []Resource {
	return slices.Concat(core(), apps(), batch(), networking(), others())
})

// Find returns the built-in resource of a kind, nil if there is none.
func Find(kind schema.GroupVersionKind) *Resource { return byKind()[kind] }

var byKind = sync.OnceValue(func() map[schema.GroupVersionKind]*Resource {
	table := Builtin()
	found := make(map[schema.GroupVersionKind]*Resource, len(table))
	for i := range table {
		found[table[i].GroupVersionKind()] = &table[i]
	}
	return found
})

var (
	namespacedFields = []Field{selectable("metadata.name"), selectable("metadata.namespace")}

	readAndWrite = []string{"get", "patch", "update"}
	scaleKind    = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
)

// inGroup completes the entries of a group: version, singular names, and defaults
// of subresources.
func inGroup(group, version string, table []Resource) []Resource {
	for i := range table {
		r := &table[i]
		r.GroupVersion = schema.GroupVersion{Group: group, Version: version}
		r.Singular = strings.ToLower(r.Kind)
		if r.Scale != nil {
			r.Subresources = append(r.Subresources, Subresource{Name: "scale", GroupVersionKind: scaleKind})
		}
		for j := range r.Subresources {
			sub := &r.Subresources[j]
			if sub.Kind == "" {
				sub.GroupVersionKind = r.GroupVersionKind()
			}
			if sub.Verbs == nil {
				sub.Verbs = readAndWrite
			}
		}
		slices.SortFunc(r.Subresources, func(a, b Subresource) int { return cmp.Compare(a.Name, b.Name) })
	}
	return table
}

func names(all ...string) []string { return all }

// statusSubresource returns the subresource status. A write to it does not change
// the spec, nor the paths in resets.
func statusSubresource(resets ...string) Subresource {
	return Subresource{Name: "status", Resets: append([]string{"spec"}, resets...)}
}

func subresources(subresources ...Subresource) []Subresource { return subresources }

// workloadScale returns the scale of the workload kinds.
func workloadScale() *Scale {
	return &Scale{SpecReplicas: "spec.replicas", StatusReplicas: "status.replicas", Selector: "spec.selector", Default: 1}
}

// selectable returns a field that can be used in selectors. Its path is its name
// unless paths are given.
func selectable(name string, paths ...string) Field {
	if paths == nil {
		paths = []string{name}
	}
	return Field{Name: name, paths: paths}
}

func (f Field) defaultsTo(value string) Field {
	f.Default = value
	return f
}

func core() []Resource {
	all := names("all")
	labels := workloadScale()
	labels.Labels = true
	return inGroup("", "v1", []Resource{
		{Plural: "configmaps", Kind: "ConfigMap", Namespaced: true, ShortNames: names("cm")},
		{Plural: "endpoints", Kind: "Endpoints", Namespaced: true, ShortNames: names("ep")},
		{Plural: "events", Kind: "Event", Namespaced: true, ShortNames: names("ev"), fields: []Field{
			selectable("metadata.name"), selectable("metadata.namespace"), selectable("reason"), selectable("reportingComponent"), selectable("type"),
			selectable("source", "source.component", "reportingComponent"),
			selectable("involvedObject.kind"), selectable("involvedObject.namespace"), selectable("involvedObject.name"), selectable("involvedObject.uid"),
			selectable("involvedObject.apiVersion"), selectable("involvedObject.resourceVersion"), selectable("involvedObject.fieldPath"),
		}},
		{Plural: "limitranges", Kind: "LimitRange", Namespaced: true, ShortNames: names("limits")},
		{Plural: "namespaces", Kind: "Namespace", ShortNames: names("ns"), OneByOne: true, Phase: "Active",
			Subresources: subresources(statusSubresource(), Subresource{Name: "finalize", Verbs: names("update"), Resets: names("status")}),
			fields:       []Field{selectable("metadata.name"), selectable("status.phase").defaultsTo("Active")}},
		{Plural: "nodes", Kind: "Node", ShortNames: names("no"), CreatedWithStatus: true, Subresources: subresources(statusSubresource()),
			fields: []Field{selectable("metadata.name"), selectable("spec.unschedulable").defaultsTo("false")}},
		{Plural: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true, ShortNames: names("pvc"), Phase: "Pending", Subresources: subresources(statusSubresource())},
		{Plural: "persistentvolumes", Kind: "PersistentVolume", ShortNames: names("pv"), Phase: "Pending", Subresources: subresources(statusSubresource())},
		pods(),
		{Plural: "podtemplates", Kind: "PodTemplate", Namespaced: true, Generation: true},
		{Plural: "replicationcontrollers", Kind: "ReplicationController", Namespaced: true, ShortNames: names("rc"), Categories: all, Generation: true,
			Scale: labels, Subresources: subresources(statusSubresource()),
			fields: []Field{selectable("metadata.name"), selectable("metadata.namespace"), selectable("status.replicas").defaultsTo("0")}},
		{Plural: "resourcequotas", Kind: "ResourceQuota", Namespaced: true, ShortNames: names("quota"), Subresources: subresources(statusSubresource())},
		{Plural: "secrets", Kind: "Secret", Namespaced: true,
			fields: []Field{selectable("metadata.name"), selectable("metadata.namespace"), selectable("type").defaultsTo("Opaque")}},
		{Plural: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true, ShortNames: names("sa")},
		{Plural: "services", Kind: "Service", Namespaced: true, ShortNames: names("svc"), Categories: all, Subresources: subresources(statusSubresource()),
			fields: []Field{selectable("metadata.name"), selectable("metadata.namespace"), selectable("spec.clusterIP"), selectable("spec.type").defaultsTo("ClusterIP")}},
	})
}

func pods() Resource {
	return Resource{
		Plural: "pods", Kind: "Pod", Namespaced: true, ShortNames: names("po"), Categories: names("all"), Generation: true, Phase: "Pending",
		Subresources: subresources(
			statusSubresource("metadata.deletionTimestamp", "metadata.ownerReferences"),
			Subresource{Name: "ephemeralcontainers", Only: names("spec.ephemeralContainers")},
			Subresource{Name: "resize", Only: names("spec.containers", "spec.initContainers", "spec.resources")},
		),
		fields: []Field{
			selectable("metadata.name"), selectable("metadata.namespace"),
			selectable("spec.nodeName"), selectable("spec.host", "spec.nodeName"), selectable("spec.serviceAccountName"),
			selectable("spec.restartPolicy").defaultsTo("Always"),
			selectable("spec.schedulerName").defaultsTo("default-scheduler"),
			selectable("spec.hostNetwork").defaultsTo("false"),
			selectable("status.phase").defaultsTo("Pending"), selectable("status.nominatedNodeName"), selectable("status.podIP"),
			// A selector may use it, but the real server compares it with no value.
			{Name: "status.podIPs"},
		},
	}
}

func apps() []Resource {
	all := names("all")
	return inGroup("apps", "v1", []Resource{
		{Plural: "controllerrevisions", Kind: "ControllerRevision", Namespaced: true},
		{Plural: "daemonsets", Kind: "DaemonSet", Namespaced: true, ShortNames: names("ds"), Categories: all, Generation: true, Subresources: subresources(statusSubresource())},
		{Plural: "deployments", Kind: "Deployment", Namespaced: true, ShortNames: names("deploy"), Categories: all, Generation: true, Counted: "annotations",
			Scale: workloadScale(), Subresources: subresources(statusSubresource("metadata.labels"))},
		{Plural: "replicasets", Kind: "ReplicaSet", Namespaced: true, ShortNames: names("rs"), Categories: all, Generation: true,
			Scale: workloadScale(), Subresources: subresources(statusSubresource())},
		{Plural: "statefulsets", Kind: "StatefulSet", Namespaced: true, ShortNames: names("sts"), Categories: all, Generation: true,
			Scale: workloadScale(), Subresources: subresources(statusSubresource())},
	})
}

func batch() []Resource {
	all := names("all")
	return inGroup("batch", "v1", []Resource{
		{Plural: "cronjobs", Kind: "CronJob", Namespaced: true, ShortNames: names("cj"), Categories: all, Generation: true, Subresources: subresources(statusSubresource())},
		{Plural: "jobs", Kind: "Job", Namespaced: true, Categories: all, Generation: true, Subresources: subresources(statusSubresource()),
			unsupportedField: "field label %q not supported for Job",
			fields:           []Field{selectable("metadata.name"), selectable("metadata.namespace"), selectable("status.successful", "status.succeeded").defaultsTo("0")}},
	})
}

func networking() []Resource {
	return inGroup("networking.k8s.io", "v1", []Resource{
		{Plural: "ingressclasses", Kind: "IngressClass", Generation: true},
		{Plural: "ingresses", Kind: "Ingress", Namespaced: true, ShortNames: names("ing"), Generation: true, Subresources: subresources(statusSubresource())},
		{Plural: "ipaddresses", Kind: "IPAddress", ShortNames: names("ip")},
		{Plural: "networkpolicies", Kind: "NetworkPolicy", Namespaced: true, ShortNames: names("netpol"), Generation: true},
		{Plural: "servicecidrs", Kind: "ServiceCIDR", Subresources: subresources(statusSubresource("metadata"))},
	})
}

func others() []Resource {
	return slices.Concat(
		inGroup("coordination.k8s.io", "v1", []Resource{
			{Plural: "leases", Kind: "Lease", Namespaced: true},
		}),
		inGroup("discovery.k8s.io", "v1", []Resource{
			{Plural: "endpointslices", Kind: "EndpointSlice", Namespaced: true, Generation: true, Counted: "labels"},
		}),
		inGroup("events.k8s.io", "v1", []Resource{
			{Plural: "events", Kind: "Event", Namespaced: true, ShortNames: names("ev"), fields: []Field{
				selectable("metadata.name"), selectable("metadata.namespace"), selectable("reason"), selectable("reportingController"), selectable("type"),
				selectable("regarding.kind"), selectable("regarding.namespace"), selectable("regarding.name"), selectable("regarding.uid"),
				selectable("regarding.apiVersion"), selectable("regarding.resourceVersion"), selectable("regarding.fieldPath"),
			}},
		}),
		inGroup("rbac.authorization.k8s.io", "v1", []Resource{
			{Plural: "clusterrolebindings", Kind: "ClusterRoleBinding"},
			{Plural: "clusterroles", Kind: "ClusterRole"},
			{Plural: "rolebindings", Kind: "RoleBinding", Namespaced: true},
			{Plural: "roles", Kind: "Role", Namespaced: true},
		}),
		inGroup("apiextensions.k8s.io", "v1", []Resource{
			{Plural: "customresourcedefinitions", Kind: "CustomResourceDefinition", ShortNames: names("crd", "crds"),
				Categories: names("api-extensions"), Generation: true, Subresources: subresources(statusSubresource())},
		}),
	)
}
