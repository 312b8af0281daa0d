package jsonobj

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
	"github.com/stretchr/testify/require"
	"github.com/thinformer/thinformer/internal/intern"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// podLike has all the fields of testdata/pod.json, as k8s.io/api has them.
type podLike struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              podSpec   `json:"spec,omitempty"`
	Status            podStatus `json:"status,omitempty"`
}

type podSpec struct {
	Volumes []struct {
		Name         string `json:"name"`
		volumeSource `json:",inline"`
	} `json:"volumes,omitempty"`
	InitContainers                []container  `json:"initContainers,omitempty"`
	Containers                    []container  `json:"containers"`
	RestartPolicy                 string       `json:"restartPolicy,omitempty"`
	TerminationGracePeriodSeconds *int64       `json:"terminationGracePeriodSeconds,omitempty"`
	DNSPolicy                     string       `json:"dnsPolicy,omitempty"`
	ServiceAccountName            string       `json:"serviceAccountName,omitempty"`
	DeprecatedServiceAccount      string       `json:"serviceAccount,omitempty"`
	NodeName                      string       `json:"nodeName,omitempty"`
	SecurityContext               *struct{}    `json:"securityContext,omitempty"`
	SchedulerName                 string       `json:"schedulerName,omitempty"`
	Tolerations                   []toleration `json:"tolerations,omitempty"`
	Priority                      *int32       `json:"priority,omitempty"`
	EnableServiceLinks            *bool        `json:"enableServiceLinks,omitempty"`
	PreemptionPolicy              *string      `json:"preemptionPolicy,omitempty"`
}

type volumeSource struct {
	Projected *struct {
		Sources     []projection `json:"sources"`
		DefaultMode *int32       `json:"defaultMode,omitempty"`
	} `json:"projected,omitempty"`
}

type projection struct {
	ServiceAccountToken *struct {
		ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
		Path              string `json:"path"`
	} `json:"serviceAccountToken,omitempty"`
	ConfigMap *struct {
		Name  string    `json:"name,omitempty"`
		Items []keyPath `json:"items,omitempty"`
	} `json:"configMap,omitempty"`
	DownwardAPI *struct {
		Items []keyPath `json:"items,omitempty"`
	} `json:"downwardAPI,omitempty"`
}

type keyPath struct {
	Key      string `json:"key,omitempty"`
	Path     string `json:"path"`
	FieldRef *struct {
		APIVersion string `json:"apiVersion,omitempty"`
		FieldPath  string `json:"fieldPath"`
	} `json:"fieldRef,omitempty"`
}

type container struct {
	Name  string `json:"name"`
	Image string `json:"image,omitempty"`
	Ports []struct {
		Name          string `json:"name,omitempty"`
		ContainerPort int32  `json:"containerPort"`
		Protocol      string `json:"protocol,omitempty"`
	} `json:"ports,omitempty"`
	Env []struct {
		Name      string `json:"name"`
		Value     string `json:"value,omitempty"`
		ValueFrom *struct {
			SecretKeyRef *struct {
				Name string `json:"name,omitempty"`
				Key  string `json:"key"`
			} `json:"secretKeyRef,omitempty"`
		} `json:"valueFrom,omitempty"`
	} `json:"env,omitempty"`
	Resources struct {
		Limits   map[types.UID]resource.Quantity `json:"limits,omitempty"`
		Requests map[types.UID]resource.Quantity `json:"requests,omitempty"`
	} `json:"resources,omitempty"`
	VolumeMounts []struct {
		Name      string `json:"name"`
		ReadOnly  bool   `json:"readOnly,omitempty"`
		MountPath string `json:"mountPath"`
	} `json:"volumeMounts,omitempty"`
	LivenessProbe            *probe `json:"livenessProbe,omitempty"`
	ReadinessProbe           *probe `json:"readinessProbe,omitempty"`
	TerminationMessagePath   string `json:"terminationMessagePath,omitempty"`
	TerminationMessagePolicy string `json:"terminationMessagePolicy,omitempty"`
	ImagePullPolicy          string `json:"imagePullPolicy,omitempty"`
}

type probe struct {
	HTTPGet *struct {
		Path   string             `json:"path,omitempty"`
		Port   intstr.IntOrString `json:"port"`
		Scheme string             `json:"scheme,omitempty"`
	} `json:"httpGet,omitempty"`
	TimeoutSeconds   int32 `json:"timeoutSeconds,omitempty"`
	PeriodSeconds    int32 `json:"periodSeconds,omitempty"`
	SuccessThreshold int32 `json:"successThreshold,omitempty"`
	FailureThreshold int32 `json:"failureThreshold,omitempty"`
}

type toleration struct {
	Key               string `json:"key,omitempty"`
	Operator          string `json:"operator,omitempty"`
	Effect            string `json:"effect,omitempty"`
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

type podStatus struct {
	Phase      string `json:"phase,omitempty"`
	Conditions []struct {
		Type               string      `json:"type"`
		Status             string      `json:"status"`
		LastProbeTime      metav1.Time `json:"lastProbeTime,omitempty"`
		LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty"`
	} `json:"conditions,omitempty"`
	HostIP  string `json:"hostIP,omitempty"`
	HostIPs []struct {
		IP string `json:"ip,omitempty"`
	} `json:"hostIPs,omitempty"`
	PodIP  string `json:"podIP,omitempty"`
	PodIPs []struct {
		IP string `json:"ip,omitempty"`
	} `json:"podIPs,omitempty"`
	StartTime         *metav1.Time `json:"startTime,omitempty"`
	ContainerStatuses []struct {
		Name         string         `json:"name"`
		State        containerState `json:"state,omitempty"`
		LastState    containerState `json:"lastState,omitempty"`
		Ready        bool           `json:"ready"`
		RestartCount int32          `json:"restartCount"`
		Image        string         `json:"image"`
		ImageID      string         `json:"imageID"`
		ContainerID  string         `json:"containerID,omitempty"`
		Started      *bool          `json:"started,omitempty"`
	} `json:"containerStatuses,omitempty"`
	QOSClass string `json:"qosClass,omitempty"`
}

type containerState struct {
	Running *struct {
		StartedAt metav1.Time `json:"startedAt,omitempty"`
	} `json:"running,omitempty"`
}

// slimLike has few fields: name, namespace, uid, version, labels, owner, node
// and phase.
type slimLike struct {
	Metadata struct {
		Name            string                  `json:"name"`
		Namespace       string                  `json:"namespace"`
		UID             types.UID               `json:"uid"`
		ResourceVersion string                  `json:"resourceVersion"`
		Labels          map[string]string       `json:"labels"`
		OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

func sameBytes(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// A real pod is decoded to the same value as by apimachinery.
func TestPodEqualsApimachinery(t *testing.T) {
	for _, d := range []*Decoder{{KeepManagedFields: true}, {KeepManagedFields: true, Strings: intern.New()}} {
		for range 2 {
			requireSame(t, d, planOf[podLike](t), string(pod(t)))
			require.Empty(t, d.Dropped())
			requireSame(t, d, planOf[unstructured.Unstructured](t), string(pod(t)))
			requireSame(t, d, planOf[slimLike](t), string(pod(t)))
			require.Equal(t, "kind", d.Dropped())
		}
	}
}

// Decoding allocates only the memory of the value.
func TestDecodingAllocatesOnlyTheValue(t *testing.T) {
	document := pod(t)
	for _, c := range []struct {
		plan *Plan
		most float64
	}{
		{planOf[slimLike](t), 15},
		{planOf[podLike](t), 80},
		{planOf[unstructured.Unstructured](t), 160},
	} {
		// Strings can evict each other from the table by chance, so the result is the
		// minimum of several tables.
		got := math.Inf(1)
		for range 5 {
			d := &Decoder{Strings: intern.New()}
			got = min(got, testing.AllocsPerRun(100, func() {
				if _, err := d.Decode(c.plan, document, reflect.New(c.plan.typ).Interface()); err != nil {
					t.Fatal(err)
				}
			}))
		}
		require.LessOrEqual(t, got, c.most, c.plan.typ.Name())
		t.Log(c.plan.typ.Name(), got)
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := Skip(document, 0); err != nil {
			t.Fatal(err)
		}
	}))
}

// result prevents the compiler from optimizing the decoding away.
type result struct{ value any }

func benchmark(b *testing.B, plan *Plan, d *Decoder) {
	document := pod(b)
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	var kept result
	for b.Loop() {
		kept.value = reflect.New(plan.typ).Interface()
		if _, err := d.Decode(plan, document, kept.value); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkOther(b *testing.B, t reflect.Type, unmarshal func([]byte, any) error) {
	document := pod(b)
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	var kept result
	for b.Loop() {
		kept.value = reflect.New(t).Interface()
		if err := unmarshal(document, kept.value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	lean := func() *Decoder { return &Decoder{Strings: intern.New()} }
	full := func() *Decoder { return &Decoder{Strings: intern.New(), KeepManagedFields: true} }
	iter := jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal
	typed, free, content := planOf[podLike](b), planOf[unstructured.Unstructured](b), reflect.TypeFor[map[string]any]()
	b.Run("typed", func(b *testing.B) { benchmark(b, typed, full()) })
	b.Run("typed/lean", func(b *testing.B) { benchmark(b, typed, lean()) })
	b.Run("typed/unshared", func(b *testing.B) { benchmark(b, typed, &Decoder{KeepManagedFields: true}) })
	b.Run("typed/json-iterator", func(b *testing.B) { benchmarkOther(b, typed.typ, iter) })
	b.Run("typed/apimachinery", func(b *testing.B) { benchmarkOther(b, typed.typ, utiljson.Unmarshal) })
	b.Run("unstructured", func(b *testing.B) { benchmark(b, free, full()) })
	b.Run("unstructured/lean", func(b *testing.B) { benchmark(b, free, lean()) })
	b.Run("unstructured/json-iterator", func(b *testing.B) { benchmarkOther(b, content, iter) })
	b.Run("unstructured/apimachinery", func(b *testing.B) { benchmarkOther(b, content, utiljson.Unmarshal) })
	b.Run("slim", func(b *testing.B) { benchmark(b, planOf[slimLike](b), lean()) })
	b.Run("metadata", func(b *testing.B) { benchmark(b, planOf[metav1.PartialObjectMetadata](b), lean()) })
	b.Run("skip", func(b *testing.B) {
		document := pod(b)
		b.SetBytes(int64(len(document)))
		for b.Loop() {
			if _, err := Skip(document, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
