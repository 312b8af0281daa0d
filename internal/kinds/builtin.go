package kinds

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Builtin is the table of resources. It is made once and not to be changed.
var Builtin = sync.OnceValue(func() []Resource {
	return slices.Concat(core(), apps(), batch(), networking(), others())
})

// Find is the built-in resource of a kind, nil if there is none.
func Find(kind schema.GroupVersionKind) *Resource {
	table := Builtin()
	for i := range table {
		if table[i].Kind == kind.Kind && table[i].GroupVersion == kind.GroupVersion() {
			return &table[i]
		}
	}
	return nil
}

var (
	namespacedFields = []Field{field("metadata.name"), field("metadata.namespace")}

	readAndWrite = []string{"get", "patch", "update"}
	scaleKind    = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
)

// in fills in what the lines of a group need not say.
func in(group, version string, table []Resource) []Resource {
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

func list(names ...string) []string { return names }

// status is the subresource: a write leaves the spec alone, and what else is
// named.
func status(resets ...string) Subresource {
	return Subresource{Name: "status", Resets: append([]string{"spec"}, resets...)}
}

func with(subresources ...Subresource) []Subresource { return subresources }

// scaled is the scale of the workloads.
func scaled() *Scale {
	return &Scale{SpecReplicas: "spec.replicas", StatusReplicas: "status.replicas", Selector: "spec.selector", Default: 1}
}

// field can be selected by, and is at the path of its name unless others are
// given.
func field(name string, paths ...string) Field {
	if paths == nil {
		paths = []string{name}
	}
	return Field{Name: name, paths: paths}
}

func (f Field) otherwise(value string) Field {
	f.Default = value
	return f
}

func core() []Resource {
	all := list("all")
	labels := scaled()
	labels.Labels = true
	return in("", "v1", []Resource{
		{Plural: "configmaps", Kind: "ConfigMap", Namespaced: true, ShortNames: list("cm")},
		{Plural: "endpoints", Kind: "Endpoints", Namespaced: true, ShortNames: list("ep")},
		{Plural: "events", Kind: "Event", Namespaced: true, ShortNames: list("ev"), fields: []Field{
			field("metadata.name"), field("metadata.namespace"), field("reason"), field("reportingComponent"), field("type"),
			field("source", "source.component", "reportingComponent"),
			field("involvedObject.kind"), field("involvedObject.namespace"), field("involvedObject.name"), field("involvedObject.uid"),
			field("involvedObject.apiVersion"), field("involvedObject.resourceVersion"), field("involvedObject.fieldPath"),
		}},
		{Plural: "limitranges", Kind: "LimitRange", Namespaced: true, ShortNames: list("limits")},
		{Plural: "namespaces", Kind: "Namespace", ShortNames: list("ns"), OneByOne: true, Phase: "Active",
			Subresources: with(status(), Subresource{Name: "finalize", Verbs: list("update"), Resets: list("status")}),
			fields:       []Field{field("metadata.name"), field("status.phase").otherwise("Active")}},
		{Plural: "nodes", Kind: "Node", ShortNames: list("no"), CreatedWithStatus: true, Subresources: with(status()),
			fields: []Field{field("metadata.name"), field("spec.unschedulable").otherwise("false")}},
		{Plural: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true, ShortNames: list("pvc"), Phase: "Pending", Subresources: with(status())},
		{Plural: "persistentvolumes", Kind: "PersistentVolume", ShortNames: list("pv"), Phase: "Pending", Subresources: with(status())},
		pods(),
		{Plural: "podtemplates", Kind: "PodTemplate", Namespaced: true, Generation: true},
		{Plural: "replicationcontrollers", Kind: "ReplicationController", Namespaced: true, ShortNames: list("rc"), Categories: all, Generation: true,
			Scale: labels, Subresources: with(status()),
			fields: []Field{field("metadata.name"), field("metadata.namespace"), field("status.replicas").otherwise("0")}},
		{Plural: "resourcequotas", Kind: "ResourceQuota", Namespaced: true, ShortNames: list("quota"), Subresources: with(status())},
		{Plural: "secrets", Kind: "Secret", Namespaced: true,
			fields: []Field{field("metadata.name"), field("metadata.namespace"), field("type").otherwise("Opaque")}},
		{Plural: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true, ShortNames: list("sa")},
		{Plural: "services", Kind: "Service", Namespaced: true, ShortNames: list("svc"), Categories: all, Subresources: with(status()),
			fields: []Field{field("metadata.name"), field("metadata.namespace"), field("spec.clusterIP"), field("spec.type").otherwise("ClusterIP")}},
	})
}

func pods() Resource {
	return Resource{
		Plural: "pods", Kind: "Pod", Namespaced: true, ShortNames: list("po"), Categories: list("all"), Generation: true, Phase: "Pending",
		Subresources: with(
			status("metadata.deletionTimestamp", "metadata.ownerReferences"),
			Subresource{Name: "ephemeralcontainers", Only: list("spec.ephemeralContainers")},
			Subresource{Name: "resize", Only: list("spec.containers", "spec.initContainers", "spec.resources")},
		),
		fields: []Field{
			field("metadata.name"), field("metadata.namespace"),
			field("spec.nodeName"), field("spec.host", "spec.nodeName"), field("spec.serviceAccountName"),
			field("spec.restartPolicy").otherwise("Always"),
			field("spec.schedulerName").otherwise("default-scheduler"),
			field("spec.hostNetwork").otherwise("false"),
			field("status.phase").otherwise("Pending"), field("status.nominatedNodeName"), field("status.podIP"),
			// It may be named, but the real server compares with nothing.
			{Name: "status.podIPs"},
		},
	}
}

func apps() []Resource {
	all := list("all")
	return in("apps", "v1", []Resource{
		{Plural: "controllerrevisions", Kind: "ControllerRevision", Namespaced: true},
		{Plural: "daemonsets", Kind: "DaemonSet", Namespaced: true, ShortNames: list("ds"), Categories: all, Generation: true, Subresources: with(status())},
		{Plural: "deployments", Kind: "Deployment", Namespaced: true, ShortNames: list("deploy"), Categories: all, Generation: true, Counted: "annotations",
			Scale: scaled(), Subresources: with(status("metadata.labels"))},
		{Plural: "replicasets", Kind: "ReplicaSet", Namespaced: true, ShortNames: list("rs"), Categories: all, Generation: true,
			Scale: scaled(), Subresources: with(status())},
		{Plural: "statefulsets", Kind: "StatefulSet", Namespaced: true, ShortNames: list("sts"), Categories: all, Generation: true,
			Scale: scaled(), Subresources: with(status())},
	})
}

func batch() []Resource {
	all := list("all")
	return in("batch", "v1", []Resource{
		{Plural: "cronjobs", Kind: "CronJob", Namespaced: true, ShortNames: list("cj"), Categories: all, Generation: true, Subresources: with(status())},
		{Plural: "jobs", Kind: "Job", Namespaced: true, Categories: all, Generation: true, Subresources: with(status()),
			refusal: "field label %q not supported for Job",
			fields:  []Field{field("metadata.name"), field("metadata.namespace"), field("status.successful", "status.succeeded").otherwise("0")}},
	})
}

func networking() []Resource {
	return in("networking.k8s.io", "v1", []Resource{
		{Plural: "ingressclasses", Kind: "IngressClass", Generation: true},
		{Plural: "ingresses", Kind: "Ingress", Namespaced: true, ShortNames: list("ing"), Generation: true, Subresources: with(status())},
		{Plural: "ipaddresses", Kind: "IPAddress", ShortNames: list("ip")},
		{Plural: "networkpolicies", Kind: "NetworkPolicy", Namespaced: true, ShortNames: list("netpol"), Generation: true},
		{Plural: "servicecidrs", Kind: "ServiceCIDR", Subresources: with(status("metadata"))},
	})
}

func others() []Resource {
	return slices.Concat(
		in("coordination.k8s.io", "v1", []Resource{
			{Plural: "leases", Kind: "Lease", Namespaced: true},
		}),
		in("discovery.k8s.io", "v1", []Resource{
			{Plural: "endpointslices", Kind: "EndpointSlice", Namespaced: true, Generation: true, Counted: "labels"},
		}),
		in("events.k8s.io", "v1", []Resource{
			{Plural: "events", Kind: "Event", Namespaced: true, ShortNames: list("ev"), fields: []Field{
				field("metadata.name"), field("metadata.namespace"), field("reason"), field("reportingController"), field("type"),
				field("regarding.kind"), field("regarding.namespace"), field("regarding.name"), field("regarding.uid"),
				field("regarding.apiVersion"), field("regarding.resourceVersion"), field("regarding.fieldPath"),
			}},
		}),
		in("rbac.authorization.k8s.io", "v1", []Resource{
			{Plural: "clusterrolebindings", Kind: "ClusterRoleBinding"},
			{Plural: "clusterroles", Kind: "ClusterRole"},
			{Plural: "rolebindings", Kind: "RoleBinding", Namespaced: true},
			{Plural: "roles", Kind: "Role", Namespaced: true},
		}),
		in("apiextensions.k8s.io", "v1", []Resource{
			{Plural: "customresourcedefinitions", Kind: "CustomResourceDefinition", ShortNames: list("crd", "crds"),
				Categories: list("api-extensions"), Generation: true, Subresources: with(status())},
		}),
	)
}
