package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/internal/kinds"
)

// trial has an object that the real server accepts, a change of it outside of metadata and
// status, and a status.
type trial struct{ object, change, status string }

const (
	podTemplate = `{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i, ports: [{containerPort: 80}], env: [{name: A, value: b}], volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, emptyDir: {}}], nodeSelector: {a: b}}}`
	otherPods   = `{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: j}]}}`
	jobTemplate = `{metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}`
	condition   = `{type: a, status: "True", reason: r, message: m, lastTransitionTime: "2020-01-01T00:00:00Z"}`
	workload    = `spec: {selector: {matchLabels: {a: b}}, template: ` + podTemplate + `}`
	binding     = `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: x}`
	subjects    = `subjects: [{kind: User, name: a, apiGroup: rbac.authorization.k8s.io}]`
	rules       = `rules: [{verbs: [get], apiGroups: [""], resources: [pods]}]`
	definition  = `{metadata: {name: trials.example.com}, spec: {group: example.com, scope: Namespaced, names: {plural: trials, singular: trial, kind: Trial, listKind: TrialList}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`
)

// trials has the trials by kind and group. An object without a name is named trial.
var trials = map[string]trial{
	"ConfigMap.":             {`data: {a: b}`, `data: {a: c}`, ""},
	"Endpoints.":             {`subsets: [{addresses: [{ip: 10.1.2.3}], ports: [{port: 80}]}]`, `subsets: []`, ""},
	"Event.":                 {`{involvedObject: {namespace: default, name: x, kind: Pod}, reason: r, type: Normal, firstTimestamp: "2020-01-01T00:00:00Z"}`, `reason: s`, ""},
	"LimitRange.":            {`spec: {limits: [{type: example.com/trial, max: {example.com/count: 1}}]}`, `spec: {limits: []}`, ""},
	"Namespace.":             {`{}`, ``, ""},
	"Node.":                  {`spec: {podCIDRs: [10.9.0.0/24], podCIDR: 10.9.0.0/24}`, `spec: {unschedulable: true}`, `conditions: [{type: Ready, status: "True"}]`},
	"PersistentVolumeClaim.": {`spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`, `spec: {volumeName: x}`, `phase: Bound`},
	"PersistentVolume.":      {`spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /x}, claimRef: {name: a, namespace: b}}`, `spec: {persistentVolumeReclaimPolicy: Delete}`, `phase: Bound`},
	"Pod.":                   {`spec: {containers: [{name: c, image: i, ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]}], hostAliases: [{ip: 10.1.2.3, hostnames: [a]}], tolerations: [{key: a, operator: Exists}], imagePullSecrets: [{name: a}]}`, `spec: {activeDeadlineSeconds: 10}`, `{phase: Running, podIP: 10.1.2.3, podIPs: [{ip: 10.1.2.3}], conditions: [{type: Ready, status: "True"}]}`},
	"PodTemplate.":           {`template: ` + podTemplate, `template: ` + otherPods, ""},
	"ReplicationController.": {`spec: {selector: {a: b}, template: ` + podTemplate + `}`, `spec: {replicas: 3}`, `replicas: 2`},
	"ResourceQuota.":         {`spec: {hard: {cpu: 1}, scopes: [NotTerminating]}`, `spec: {hard: {cpu: 2}}`, `hard: {cpu: "7"}`},
	"Secret.":                {`data: {a: YQ==}`, `data: {a: Yg==}`, ""},
	"ServiceAccount.":        {`secrets: [{name: a}]`, `automountServiceAccountToken: false`, ""},
	"Service.":               {`spec: {ports: [{port: 80, name: a}, {port: 80, protocol: UDP, name: b}], selector: {a: b}}`, `spec: {sessionAffinity: ClientIP}`, `{loadBalancer: {}, conditions: [` + condition + `]}`},

	"ControllerRevision.apps": {`{revision: 1, data: {a: {b: [c]}}}`, `revision: 2`, ""},
	"DaemonSet.apps":          {workload, `spec: {template: ` + otherPods + `}`, `{currentNumberScheduled: 2, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0}`},
	"Deployment.apps":         {workload, `spec: {replicas: 3}`, `{replicas: 2, conditions: [{type: Available, status: "True"}]}`},
	"ReplicaSet.apps":         {workload, `spec: {replicas: 3}`, `replicas: 2`},
	"StatefulSet.apps":        {workload, `spec: {replicas: 3}`, `replicas: 2`},
	"CronJob.batch":           {`spec: {schedule: "* * * * *", jobTemplate: {spec: {template: ` + jobTemplate + `}}}`, `spec: {suspend: true}`, `lastScheduleTime: "2020-01-01T00:00:00Z"`},
	"Job.batch":               {`spec: {template: ` + jobTemplate + `}`, `spec: {suspend: true}`, `active: 2`},

	"Lease.coordination.k8s.io":       {`spec: {holderIdentity: x}`, `spec: {holderIdentity: "z"}`, ""},
	"EndpointSlice.discovery.k8s.io":  {`{addressType: IPv4, endpoints: [{addresses: [10.1.2.3]}], ports: [{port: 80}]}`, `endpoints: []`, ""},
	"Event.events.k8s.io":             {`{regarding: {namespace: default, name: x, kind: Pod}, reason: r, type: Normal, eventTime: "2020-01-01T00:00:00.000000Z", reportingController: x.io/y, reportingInstance: i, action: a}`, `series: {count: 2, lastObservedTime: "2020-01-01T00:00:00.000000Z"}`, ""},
	"IngressClass.networking.k8s.io":  {`spec: {controller: x.io/y}`, `spec: {parameters: {kind: A, name: b}}`, ""},
	"Ingress.networking.k8s.io":       {`spec: {rules: [{host: a.b, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: x, port: {number: 80}}}}]}}]}`, `spec: {ingressClassName: x}`, `loadBalancer: {ingress: [{ip: 10.1.2.3}]}`},
	"IPAddress.networking.k8s.io":     {`{metadata: {name: 192.168.77.7}, spec: {parentRef: {resource: services, namespace: a, name: b}}}`, ``, ""},
	"NetworkPolicy.networking.k8s.io": {`spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}`, `spec: {podSelector: {matchLabels: {a: b}}}`, ""},
	"ServiceCIDR.networking.k8s.io":   {`spec: {cidrs: [10.9.0.0/24]}`, ``, `conditions: [` + condition + `]`},

	"ClusterRoleBinding.rbac.authorization.k8s.io": {binding, subjects, ""},
	"ClusterRole.rbac.authorization.k8s.io":        {`rules: []`, rules, ""},
	"RoleBinding.rbac.authorization.k8s.io":        {binding, subjects, ""},
	"Role.rbac.authorization.k8s.io":               {`rules: []`, rules, ""},

	"CustomResourceDefinition.apiextensions.k8s.io": {definition, `spec: {names: {plural: trials, kind: Trial, singular: trial, listKind: TrialList, categories: [all]}}`, `conditions: [` + condition + `]`},
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	made := map[string]any{}
	require.NoError(t, decode(encoded, &made), "%s", text)
	return made
}

// The real server behaves as described by the table for objects of each kind, and so does
// its field manager.
func TestKindsBehaveAsInTable(t *testing.T) {
	for _, r := range kinds.Builtin() {
		t.Run(r.Kind+"."+r.Group, func(t *testing.T) {
			given, ok := trials[r.Kind+"."+r.Group]
			require.True(t, ok, "the kind has no trial")
			try(t, &r, given)
		})
	}
}

func try(t *testing.T, r *kinds.Resource, given trial) {
	ask := real(t)
	object := parse(t, given.object)
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{"name": "trial"}
		object["metadata"] = metadata
	}
	object["apiVersion"], object["kind"] = r.GroupVersionKind().ToAPIVersionAndKind()
	if given.status != "" {
		object["status"] = parse(t, given.status)
	}
	path := pathOf(r, metadata["name"].(string))
	created := ask.must("POST", pathOf(r, ""), object)
	t.Cleanup(func() { remove(t, ask, r, path) })

	generation := int64(0)
	if r.Generation {
		generation = 1
	}
	require.Equal(t, generation, generationOf(created), "of a new object")
	if r.Phase != "" {
		require.Equal(t, r.Phase, within(created, "status", "phase"))
	}
	if given.status != "" {
		require.Equal(t, r.CreatedWithStatus, holds(created["status"], object["status"]), "status that an object is created with: %v", created["status"])
	}
	managedAlike(t, r, created)

	for _, kind := range []string{"labels", "annotations"} {
		if r.Generation && r.Counted == kind {
			generation++
		}
		changed := ask.must("PATCH", path, map[string]any{"metadata": map[string]any{kind: map[string]any{"z": "1"}}})
		require.Equal(t, generation, generationOf(changed), "after a change of %s", kind)
	}
	if given.change != "" {
		changed := ask.must("PATCH", path, parse(t, given.change))
		if r.Generation {
			generation++
		}
		require.Equal(t, generation, generationOf(changed), "after a change")
		managedAlike(t, r, changed)
	}
	if status := r.Subresource("status"); status != nil && given.status != "" {
		tryStatus(t, r, status, given, path, generation)
	}
}

// remove deletes an object and waits until it is gone. No controllers run that would
// remove its finalizers.
func remove(t *testing.T, ask *server, r *kinds.Resource, path string) {
	ask.must("DELETE", path+"?gracePeriodSeconds=0&propagationPolicy=Background", nil)
	for late := time.After(2 * time.Minute); ; {
		code, left := ask.ask("GET", path, nil)
		if code == http.StatusNotFound {
			return
		}
		if r.Kind == "Namespace" {
			left["spec"] = map[string]any{"finalizers": nil}
			ask.ask("PUT", path+"/finalize", left)
		} else {
			ask.ask("PATCH", path, map[string]any{"metadata": map[string]any{"finalizers": nil}})
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			t.Errorf("%s is still there: %v", path, left)
			return
		}
	}
}

// tryStatus checks that a write to the subresource changes the status, and that a write to
// the resource does not.
func tryStatus(t *testing.T, r *kinds.Resource, sub *kinds.Subresource, given trial, path string, generation int64) {
	ask := real(t)
	status := parse(t, given.status)
	before := ask.must("GET", path, nil)
	after := ask.must("PATCH", path, map[string]any{"status": status})
	if !holds(before["status"], status) {
		require.False(t, holds(after["status"], status), "status is not written with the rest")
	}

	marked := map[string]any{"viastatus": "1"}
	after = ask.must("PATCH", path+"/status", map[string]any{"status": status, "metadata": map[string]any{"labels": marked, "annotations": marked}})
	require.True(t, holds(after["status"], status), "%v", after["status"])
	for _, kind := range []string{"labels", "annotations"} {
		reset := slices.Contains(sub.Resets, "metadata") || slices.Contains(sub.Resets, "metadata."+kind)
		require.Equal(t, reset, within(after, "metadata", kind, "viastatus") == nil, "metadata.%s", kind)
	}
	require.Equal(t, generation, generationOf(after), "after a change of status")
	require.Equal(t, before["spec"], after["spec"])
	managedAlike(t, r, after)
}

// managedAlike checks that each managed field of the real server has the same name in the
// converter.
func managedAlike(t *testing.T, r *kinds.Resource, answer map[string]any) {
	t.Helper()
	object := (&unstructured.Unstructured{Object: answer}).DeepCopy()
	entries := object.GetManagedFields()
	require.NotEmpty(t, entries)
	ours, err := kinds.ConverterOf(r.GroupVersionKind()).ObjectToTyped(object, typed.AllowDuplicates)
	require.NoError(t, err)
	all, err := ours.ToFieldSet()
	require.NoError(t, err)
	leaves := all.Leaves()
	for _, entry := range entries {
		managed := new(fieldpath.Set)
		require.NoError(t, managed.FromJSON(strings.NewReader(entry.FieldsV1.GetRawString())))
		assert.True(t, managed.Leaves().Difference(leaves).Empty(), "not fields in the table: %v", managed.Leaves().Difference(leaves))
	}
	unknown := kinds.TypeOf(r.GroupVersionKind()).Prune(runtime.DeepCopyJSON(answer))
	assert.Empty(t, unknown, "fields that the table does not have")
}

// The field manager needs the type of Scale.
func TestScaleHasType(t *testing.T) {
	require.NotNil(t, kinds.TypeOf(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}))
}

func generationOf(object map[string]any) int64 {
	generation, _ := within(object, "metadata", "generation").(int64)
	return generation
}

func within(object map[string]any, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object, path...)
	return value
}

// holds reports whether a value contains another value.
func holds(value, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		has, _ := value.(map[string]any)
		for name := range maps.Keys(wanted) {
			if !holds(has[name], wanted[name]) {
				return false
			}
		}
		return has != nil
	case []any:
		has, _ := value.([]any)
		for _, one := range wanted {
			if !slices.ContainsFunc(has, func(other any) bool { return holds(other, one) }) {
				return false
			}
		}
		return has != nil
	}
	return value == wanted
}
