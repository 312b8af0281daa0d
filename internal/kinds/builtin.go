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
	namespacedFields = []Field{by("metadata.name"), by("metadata.namespace")}

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

func names(all ...string) []string { return all }

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

// by makes a field that can be selected by; it is at the path of its name unless
// others are given.
func by(name string, paths ...string) Field {
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
	all := names("all")
	labels := scaled()
	labels.Labels = true
	return in("", "v1", []Resource{
		{Plural: "configmaps", Kind: "ConfigMap", Namespaced: true, ShortNames: names("cm")},
		{Plural: "endpoints", Kind: "Endpoints", Namespaced: true, ShortNames: names("ep")},
		{Plural: "events", Kind: "Event", Namespaced: true, ShortNames: names("ev"), fields: []Field{
			by("metadata.name"), by("metadata.namespace"), by("reason"), by("reportingComponent"), by("type"),
			by("source", "source.component", "reportingComponent"),
			by("involvedObject.kind"), by("involvedObject.namespace"), by("involvedObject.name"), by("involvedObject.uid"),
			by("involvedObject.apiVersion"), by("involvedObject.resourceVersion"), by("involvedObject.fieldPath"),
		}},
		{Plural: "limitranges", Kind: "LimitRange", Namespaced: true, ShortNames: names("limits")},
		{Plural: "namespaces", Kind: "Namespace", ShortNames: names("ns"), OneByOne: true, Phase: "Active",
			Subresources: with(status(), Subresource{Name: "finalize", Verbs: names("update"), Resets: names("status")}),
			fields:       []Field{by("metadata.name"), by("status.phase").otherwise("Active")}},
		{Plural: "nodes", Kind: "Node", ShortNames: names("no"), CreatedWithStatus: true, Subresources: with(status()),
			fields: []Field{by("metadata.name"), by("spec.unschedulable").otherwise("false")}},
		{Plural: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true, ShortNames: names("pvc"), Phase: "Pending", Subresources: with(status())},
		{Plural: "persistentvolumes", Kind: "PersistentVolume", ShortNames: names("pv"), Phase: "Pending", Subresources: with(status())},
		pods(),
		{Plural: "podtemplates", Kind: "PodTemplate", Namespaced: true, Generation: true},
		{Plural: "replicationcontrollers", Kind: "ReplicationController", Namespaced: true, ShortNames: names("rc"), Categories: all, Generation: true,
			Scale: labels, Subresources: with(status()),
			fields: []Field{by("metadata.name"), by("metadata.namespace"), by("status.replicas").otherwise("0")}},
		{Plural: "resourcequotas", Kind: "ResourceQuota", Namespaced: true, ShortNames: names("quota"), Subresources: with(status())},
		{Plural: "secrets", Kind: "Secret", Namespaced: true,
			fields: []Field{by("metadata.name"), by("metadata.namespace"), by("type").otherwise("Opaque")}},
		{Plural: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true, ShortNames: names("sa")},
		{Plural: "services", Kind: "Service", Namespaced: true, ShortNames: names("svc"), Categories: all, Subresources: with(status()),
			fields: []Field{by("metadata.name"), by("metadata.namespace"), by("spec.clusterIP"), by("spec.type").otherwise("ClusterIP")}},
	})
}

func pods() Resource {
	return Resource{
		Plural: "pods", Kind: "Pod", Namespaced: true, ShortNames: names("po"), Categories: names("all"), Generation: true, Phase: "Pending",
		Subresources: with(
			status("metadata.deletionTimestamp", "metadata.ownerReferences"),
			Subresource{Name: "ephemeralcontainers", Only: names("spec.ephemeralContainers")},
			Subresource{Name: "resize", Only: names("spec.containers", "spec.initContainers", "spec.resources")},
		),
		fields: []Field{
			by("metadata.name"), by("metadata.namespace"),
			by("spec.nodeName"), by("spec.host", "spec.nodeName"), by("spec.serviceAccountName"),
			by("spec.restartPolicy").otherwise("Always"),
			by("spec.schedulerName").otherwise("default-scheduler"),
			by("spec.hostNetwork").otherwise("false"),
			by("status.phase").otherwise("Pending"), by("status.nominatedNodeName"), by("status.podIP"),
			// It may be named, but the real server compares with nothing.
			{Name: "status.podIPs"},
		},
	}
}

func apps() []Resource {
	all := names("all")
	return in("apps", "v1", []Resource{
		{Plural: "controllerrevisions", Kind: "ControllerRevision", Namespaced: true},
		{Plural: "daemonsets", Kind: "DaemonSet", Namespaced: true, ShortNames: names("ds"), Categories: all, Generation: true, Subresources: with(status())},
		{Plural: "deployments", Kind: "Deployment", Namespaced: true, ShortNames: names("deploy"), Categories: all, Generation: true, Counted: "annotations",
			Scale: scaled(), Subresources: with(status("metadata.labels"))},
		{Plural: "replicasets", Kind: "ReplicaSet", Namespaced: true, ShortNames: names("rs"), Categories: all, Generation: true,
			Scale: scaled(), Subresources: with(status())},
		{Plural: "statefulsets", Kind: "StatefulSet", Namespaced: true, ShortNames: names("sts"), Categories: all, Generation: true,
			Scale: scaled(), Subresources: with(status())},
	})
}

func batch() []Resource {
	all := names("all")
	return in("batch", "v1", []Resource{
		{Plural: "cronjobs", Kind: "CronJob", Namespaced: true, ShortNames: names("cj"), Categories: all, Generation: true, Subresources: with(status())},
		{Plural: "jobs", Kind: "Job", Namespaced: true, Categories: all, Generation: true, Subresources: with(status()),
			refusal: "field label %q not supported for Job",
			fields:  []Field{by("metadata.name"), by("metadata.namespace"), by("status.successful", "status.succeeded").otherwise("0")}},
	})
}

func networking() []Resource {
	return in("networking.k8s.io", "v1", []Resource{
		{Plural: "ingressclasses", Kind: "IngressClass", Generation: true},
		{Plural: "ingresses", Kind: "Ingress", Namespaced: true, ShortNames: names("ing"), Generation: true, Subresources: with(status())},
		{Plural: "ipaddresses", Kind: "IPAddress", ShortNames: names("ip")},
		{Plural: "networkpolicies", Kind: "NetworkPolicy", Namespaced: true, ShortNames: names("netpol"), Generation: true},
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
			{Plural: "events", Kind: "Event", Namespaced: true, ShortNames: names("ev"), fields: []Field{
				by("metadata.name"), by("metadata.namespace"), by("reason"), by("reportingController"), by("type"),
				by("regarding.kind"), by("regarding.namespace"), by("regarding.name"), by("regarding.uid"),
				by("regarding.apiVersion"), by("regarding.resourceVersion"), by("regarding.fieldPath"),
			}},
		}),
		in("rbac.authorization.k8s.io", "v1", []Resource{
			{Plural: "clusterrolebindings", Kind: "ClusterRoleBinding"},
			{Plural: "clusterroles", Kind: "ClusterRole"},
			{Plural: "rolebindings", Kind: "RoleBinding", Namespaced: true},
			{Plural: "roles", Kind: "Role", Namespaced: true},
		}),
		in("apiextensions.k8s.io", "v1", []Resource{
			{Plural: "customresourcedefinitions", Kind: "CustomResourceDefinition", ShortNames: names("crd", "crds"),
				Categories: names("api-extensions"), Generation: true, Subresources: with(status())},
		}),
	)
}
