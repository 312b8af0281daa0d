package objects

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Pod returns the i-th pod of a large cluster: of one of a few hundred Deployments, on one
// of a few hundred nodes, with one or two containers, probes, resources and a full status.
// The pods differ as in a real cluster: names, addresses and identifiers are unique; images,
// keys and nodes repeat.
func Pod(i int) *corev1.Pod {
	random := rand.New(rand.NewPCG(uint64(i), 37))
	app := i % 300
	name := fmt.Sprintf("shop-%03d", app)
	replicas := fmt.Sprintf("%s-%08x", name, 0x5d4f9c00+app)
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: owned(fmt.Sprintf("team-%02d", app%40), fmt.Sprintf("%s-%05x", replicas, i), "apps/v1", "ReplicaSet", replicas),
	}
	pod.GenerateName = replicas + "-"
	pod.ResourceVersion = strconv.Itoa(200_000_000 + i*17)
	pod.CreationTimestamp = at(time.Duration(i) * time.Second)
	pod.Labels = map[string]string{
		"app.kubernetes.io/name":     name,
		"app.kubernetes.io/instance": "shop",
		"app.kubernetes.io/version":  fmt.Sprintf("1.%d.0", app%20),
		"pod-template-hash":          replicas[len(replicas)-8:],
	}
	pod.Annotations = map[string]string{
		"prometheus.io/scrape":              "true",
		"prometheus.io/port":                "9090",
		"kubectl.kubernetes.io/restartedAt": at(time.Duration(app) * time.Minute).UTC().Format(time.RFC3339),
	}
	pod.Spec = podSpec(name, app, i)
	pod.Status = podStatus(pod, random, i)
	must(Manage(pod, "kube-controller-manager", "kubelet"))
	return pod
}

func podIP(i int) string { return fmt.Sprintf("10.%d.%d.%d", 64+i>>16&63, i>>8&255, i&255) }

func podSpec(name string, app, i int) corev1.PodSpec {
	const token = "kube-api-access"
	container := corev1.Container{
		Name:  "app",
		Image: fmt.Sprintf("registry.example.com/shop/%s:1.%d.0", name, app%20),
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
		Env: []corev1.EnvVar{
			{Name: "LOG_LEVEL", Value: "info"},
			{Name: "DATABASE_URL", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: name + "-db"}, Key: "url"}}},
		},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi")},
		},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", MountPath: "/etc/shop"},
			{Name: token, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"},
		},
		ReadinessProbe: &corev1.Probe{
			ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromString("http"), Scheme: "HTTP"}},
			TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
		},
		LivenessProbe: &corev1.Probe{
			ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: "HTTP"}},
			TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
		},
		TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File", ImagePullPolicy: "IfNotPresent",
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: point(false)},
	}
	spec := corev1.PodSpec{
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: name}, DefaultMode: point[int32](420)}}},
			{Name: token, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: point[int32](420), Sources: []corev1.VolumeProjection{
				{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: point[int64](3607), Path: "token"}},
				{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			}}}},
		},
		Containers:    []corev1.Container{container},
		RestartPolicy: "Always", TerminationGracePeriodSeconds: point[int64](30), DNSPolicy: "ClusterFirst",
		ServiceAccountName: name, DeprecatedServiceAccount: name,
		NodeName:        fmt.Sprintf("node-%03d.eu-west-1.compute.internal", i%250),
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: point(true), RunAsUser: point[int64](10001)},
		SchedulerName:   "default-scheduler",
		Tolerations: []corev1.Toleration{
			{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: point[int64](300)},
			{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: point[int64](300)},
		},
		Priority: point[int32](0), EnableServiceLinks: point(true),
	}
	if app%20 == 0 { // with a sidecar proxy
		spec.Containers = append(spec.Containers, corev1.Container{
			Name: "proxy", Image: "registry.example.com/mesh/proxy:2.4.1", Args: []string{"--config", "/etc/proxy/proxy.yaml"},
			TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File", ImagePullPolicy: "IfNotPresent",
		})
	}
	return spec
}

func podStatus(pod *corev1.Pod, random *rand.Rand, i int) corev1.PodStatus {
	started := at(time.Duration(i)*time.Second + 4*time.Second)
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, HostIP: fmt.Sprintf("10.0.%d.%d", i%250/16, i%250), HostIPs: []corev1.HostIP{{IP: fmt.Sprintf("10.0.%d.%d", i%250/16, i%250)}},
		PodIP: podIP(i), PodIPs: []corev1.PodIP{{IP: podIP(i)}}, StartTime: &started, QOSClass: corev1.PodQOSBurstable,
	}
	for _, condition := range []corev1.PodConditionType{corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: started})
	}
	for _, container := range pod.Spec.Containers {
		state := corev1.ContainerStatus{
			Name: container.Name, Ready: true, Started: point(true), RestartCount: int32(max(0, random.IntN(8)-6)), Image: container.Image,
			ImageID:     fmt.Sprintf("%s@sha256:%s", container.Image[:len("registry.example.com/shop")], digest(container.Image)),
			ContainerID: "containerd://" + digest(pod.Name, container.Name),
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
		}
		if state.RestartCount > 0 {
			state.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				ExitCode: 137, Reason: "OOMKilled", StartedAt: pod.CreationTimestamp, FinishedAt: started, ContainerID: "containerd://" + digest(pod.Name, container.Name, "before"),
			}
		}
		status.ContainerStatuses = append(status.ContainerStatuses, state)
	}
	return status
}

// must panics on errors that cannot occur with the objects of this package.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
