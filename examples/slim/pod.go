package main

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Pod has the fields of pod.yaml, with the types of k8s.io/api. The type there has many
// more fields, which take memory even if they are empty.
type Pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              PodSpec   `json:"spec"`
	Status            PodStatus `json:"status"`
}

// PodSpec is the desired state.
type PodSpec struct {
	NodeName                      string           `json:"nodeName,omitempty"`
	ServiceAccountName            string           `json:"serviceAccountName,omitempty"`
	RestartPolicy                 string           `json:"restartPolicy,omitempty"`
	DNSPolicy                     string           `json:"dnsPolicy,omitempty"`
	SchedulerName                 string           `json:"schedulerName,omitempty"`
	TerminationGracePeriodSeconds *int64           `json:"terminationGracePeriodSeconds,omitempty"`
	EnableServiceLinks            *bool            `json:"enableServiceLinks,omitempty"`
	Priority                      *int32           `json:"priority,omitempty"`
	SecurityContext               *SecurityContext `json:"securityContext,omitempty"`
	Tolerations                   []Toleration     `json:"tolerations,omitempty"`
	Containers                    []Container      `json:"containers"`
	Volumes                       []Volume         `json:"volumes,omitempty"`
}

// SecurityContext has the user of the processes.
type SecurityContext struct {
	RunAsNonRoot *bool  `json:"runAsNonRoot,omitempty"`
	RunAsUser    *int64 `json:"runAsUser,omitempty"`
}

// Toleration is a taint that the pod tolerates.
type Toleration struct {
	Key               string `json:"key,omitempty"`
	Operator          string `json:"operator,omitempty"`
	Effect            string `json:"effect,omitempty"`
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// Container is a container of the pod.
type Container struct {
	Name                     string        `json:"name"`
	Image                    string        `json:"image,omitempty"`
	ImagePullPolicy          string        `json:"imagePullPolicy,omitempty"`
	TerminationMessagePath   string        `json:"terminationMessagePath,omitempty"`
	TerminationMessagePolicy string        `json:"terminationMessagePolicy,omitempty"`
	Ports                    []Port        `json:"ports,omitempty"`
	Env                      []EnvVar      `json:"env,omitempty"`
	Resources                Resources     `json:"resources,omitzero"`
	VolumeMounts             []VolumeMount `json:"volumeMounts,omitempty"`
	ReadinessProbe           *Probe        `json:"readinessProbe,omitempty"`
	LivenessProbe            *Probe        `json:"livenessProbe,omitempty"`
}

// Port is a port of a container.
type Port struct {
	Name          string `json:"name,omitempty"`
	ContainerPort int32  `json:"containerPort"`
	Protocol      string `json:"protocol,omitempty"`
}

// EnvVar is an environment variable.
type EnvVar struct {
	Name      string `json:"name"`
	Value     string `json:"value,omitempty"`
	ValueFrom *struct {
		SecretKeyRef *struct {
			Name string `json:"name,omitempty"`
			Key  string `json:"key"`
		} `json:"secretKeyRef,omitempty"`
	} `json:"valueFrom,omitempty"`
}

// Resources are the resources of a container.
type Resources struct {
	Requests map[string]resource.Quantity `json:"requests,omitempty"`
	Limits   map[string]resource.Quantity `json:"limits,omitempty"`
}

// VolumeMount is the mount point of a volume.
type VolumeMount struct {
	Name      string `json:"name"`
	MountPath string `json:"mountPath"`
	ReadOnly  bool   `json:"readOnly,omitempty"`
}

// Probe is a health check of a container.
type Probe struct {
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

// Volume is a directory that containers can mount.
type Volume struct {
	Name      string     `json:"name"`
	ConfigMap *ConfigMap `json:"configMap,omitempty"`
	Projected *struct {
		DefaultMode *int32 `json:"defaultMode,omitempty"`
		Sources     []struct {
			ServiceAccountToken *struct {
				ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
				Path              string `json:"path"`
			} `json:"serviceAccountToken,omitempty"`
			ConfigMap *ConfigMap `json:"configMap,omitempty"`
		} `json:"sources,omitempty"`
	} `json:"projected,omitempty"`
}

// ConfigMap is a config map used as a volume.
type ConfigMap struct {
	Name        string `json:"name,omitempty"`
	DefaultMode *int32 `json:"defaultMode,omitempty"`
	Items       []struct {
		Key  string `json:"key"`
		Path string `json:"path"`
	} `json:"items,omitempty"`
}

// PodStatus is the actual state.
type PodStatus struct {
	Phase             string            `json:"phase,omitempty"`
	HostIP            string            `json:"hostIP,omitempty"`
	HostIPs           []IP              `json:"hostIPs,omitempty"`
	PodIP             string            `json:"podIP,omitempty"`
	PodIPs            []IP              `json:"podIPs,omitempty"`
	QOSClass          string            `json:"qosClass,omitempty"`
	StartTime         *metav1.Time      `json:"startTime,omitempty"`
	Conditions        []Condition       `json:"conditions,omitempty"`
	ContainerStatuses []ContainerStatus `json:"containerStatuses,omitempty"`
}

// IP is an address.
type IP struct {
	IP string `json:"ip"`
}

// Condition is a condition of the pod.
type Condition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitzero"`
}

// ContainerStatus is the state of a container.
type ContainerStatus struct {
	Name         string `json:"name"`
	Image        string `json:"image"`
	ImageID      string `json:"imageID"`
	ContainerID  string `json:"containerID,omitempty"`
	Ready        bool   `json:"ready"`
	Started      *bool  `json:"started,omitempty"`
	RestartCount int32  `json:"restartCount"`
	State        struct {
		Running *struct {
			StartedAt metav1.Time `json:"startedAt,omitzero"`
		} `json:"running,omitempty"`
	} `json:"state,omitzero"`
}
