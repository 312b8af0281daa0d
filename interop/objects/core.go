package objects

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func core(kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "v1", Kind: kind} }

func coreObjects() []runtime.Object {
	return []runtime.Object{
		Pod(0), node(), service(), configMap(), secret(), event(), namespace(), serviceAccount(),
		persistentVolumeClaim(), persistentVolume(), resourceQuota(), limitRange(), replicationController(),
	}
}

func node() *corev1.Node {
	list := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
			corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("104845292Ki"),
			"hugepages-2Mi": resource.MustParse("0"), "nvidia.com/gpu": resource.MustParse("8"),
		}
	}
	n := &corev1.Node{TypeMeta: core("Node"), ObjectMeta: meta("", "node-001.eu-west-1.compute.internal")}
	n.Labels["node-role.kubernetes.io/worker"] = ""
	n.Labels["topology.kubernetes.io/zone"] = "eu-west-1a"
	n.Spec = corev1.NodeSpec{
		PodCIDR: "10.64.1.0/24", PodCIDRs: []string{"10.64.1.0/24", "fd00:10:64:1::/64"}, ProviderID: "aws:///eu-west-1a/i-0123456789abcdef0",
		Taints: []corev1.Taint{{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule", TimeAdded: pointAt(time.Hour)}}, Unschedulable: true,
	}
	n.Status = corev1.NodeStatus{
		Capacity: list("64", "263807680Ki"), Allocatable: list("63500m", "257Gi"),
		Conditions:      []corev1.NodeCondition{{Type: "Ready", Status: "True", LastHeartbeatTime: at(time.Hour), LastTransitionTime: at(time.Minute), Reason: "KubeletReady", Message: "kubelet is posting ready status"}},
		Addresses:       []corev1.NodeAddress{{Type: "InternalIP", Address: "10.0.0.1"}, {Type: "Hostname", Address: "node-001"}},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
		NodeInfo:        corev1.NodeSystemInfo{MachineID: "ec2f", KernelVersion: "6.12.9", OSImage: "Linux <edge> & \"more\"", KubeletVersion: "v1.37.0", OperatingSystem: "linux", Architecture: "arm64"},
		Images: []corev1.ContainerImage{
			{Names: []string{"registry.example.com/shop/shop-001@sha256:" + digest("image"), "registry.example.com/shop/shop-001:1.1.0"}, SizeBytes: 1<<53 + 1},
			{Names: nil, SizeBytes: 0},
		},
	}
	return n
}

func service() *corev1.Service {
	return &corev1.Service{
		TypeMeta: core("Service"), ObjectMeta: meta("shop", "cart"),
		Spec: corev1.ServiceSpec{
			Ports: []corev1.ServicePort{
				{Name: "http", Protocol: "TCP", AppProtocol: point("kubernetes.io/h2c"), Port: 80, TargetPort: intstr.FromString("http"), NodePort: 30080},
				{Name: "metrics", Protocol: "TCP", Port: 9090, TargetPort: intstr.FromInt32(9090)},
			},
			Selector: map[string]string{"app.kubernetes.io/name": "cart"}, ClusterIP: "10.96.7.7", ClusterIPs: []string{"10.96.7.7", "fd00::7"}, Type: "LoadBalancer",
			SessionAffinity: "ClientIP", SessionAffinityConfig: &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: point[int32](10800)}},
			IPFamilies: []corev1.IPFamily{"IPv4", "IPv6"}, IPFamilyPolicy: point(corev1.IPFamilyPolicyPreferDualStack), AllocateLoadBalancerNodePorts: point(false),
		},
		Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "203.0.113.7", IPMode: point(corev1.LoadBalancerIPModeVIP)}}}},
	}
}

// configMap has text in many scripts, and all characters that JSON must or may escape.
func configMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta: core("ConfigMap"), ObjectMeta: meta("shop", "motto"), Immutable: point(true),
		Data: map[string]string{
			"greek":      "Ἐν ἀρχῇ ἦν ὁ λόγος",
			"emoji":      "🛒 👩\u200d👩\u200d👧\u200d👦 🇪🇺",
			"separators": "line\u2028paragraph\u2029end",
			"controls":   "bell\a tab\t feed\f nul\x00 del\x7f unit\x1f",
			"html":       `<a href="/?x=1&y=2">&lt;</a>`,
			"slashes":    `C:\temp\new / "quoted"`,
			"replaced":   "before \ufffd after",
			"empty":      "",
			"yaml":       "a: 1\nb:\n  - \"x\"\r\n",
			"":           "a key without a letter",
			"κλειδί":     "a key in Greek",
		},
		BinaryData: map[string][]byte{"zeros": make([]byte, 16), "nothing": {}, "bytes": {0xff, 0xfe, 0x00, 0x80}},
	}
}

func secret() *corev1.Secret {
	release := make([]byte, 24<<10) // similar to a release of Helm
	for i := range release {
		release[i] = byte(i*i>>3 ^ i)
	}
	s := &corev1.Secret{TypeMeta: core("Secret"), ObjectMeta: meta("shop", "sh.helm.release.v1.shop.v7"), Type: "helm.sh/release.v1"}
	s.Data = map[string][]byte{"release": release, "empty": {}, "one": []byte("1"), "two": []byte("12"), "three": []byte("123")}
	return s
}

func event() *corev1.Event {
	e := &corev1.Event{
		TypeMeta: core("Event"), ObjectMeta: meta("shop", "cart-0.18a5c3d7e9f1b2a4"),
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "cart-0", UID: UID("shop", "cart-0"), APIVersion: "v1", ResourceVersion: "1234", FieldPath: "spec.containers{app}"},
		Reason:         "BackOff", Message: "Back-off restarting failed container app in pod cart-0_shop(\"…\")",
		Source: corev1.EventSource{Component: "kubelet", Host: "node-001"}, FirstTimestamp: at(0), LastTimestamp: at(time.Hour), Count: 41, Type: "Warning",
		EventTime: microAt(0), Series: &corev1.EventSeries{Count: 41, LastObservedTime: microAt(time.Hour)}, ReportingController: "kubelet", ReportingInstance: "node-001",
	}
	e.Labels, e.Annotations = nil, nil
	return e
}

func namespace() *corev1.Namespace {
	n := &corev1.Namespace{TypeMeta: core("Namespace"), ObjectMeta: meta("", "shop")}
	n.DeletionTimestamp, n.DeletionGracePeriodSeconds = pointAt(time.Hour), point[int64](0)
	n.Finalizers = []string{"shop.example.com/drain"}
	n.Spec.Finalizers = []corev1.FinalizerName{"kubernetes"}
	n.Status = corev1.NamespaceStatus{Phase: "Terminating", Conditions: []corev1.NamespaceCondition{{Type: "NamespaceContentRemaining", Status: "True", LastTransitionTime: at(time.Hour), Reason: "SomeResourcesRemain", Message: "pods. has 3 resource instances"}}}
	return n
}

func serviceAccount() *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta: core("ServiceAccount"), ObjectMeta: meta("shop", "cart"), AutomountServiceAccountToken: point(false),
		Secrets: []corev1.ObjectReference{{Name: "cart-token"}}, ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}},
	}
}

func persistentVolumeClaim() *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		TypeMeta: core("PersistentVolumeClaim"), ObjectMeta: meta("shop", "data-cart-0"),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"}, StorageClassName: point("gp3"), VolumeMode: point(corev1.PersistentVolumeFilesystem), VolumeName: "pvc-1",
			Resources:     corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1.5Ti")}},
			DataSourceRef: &corev1.TypedObjectReference{APIGroup: point("snapshot.storage.k8s.io"), Kind: "VolumeSnapshot", Name: "daily", Namespace: point("backup")},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: "Bound", AccessModes: []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"}, Capacity: corev1.ResourceList{"storage": resource.MustParse("1536Gi")}},
	}
}

func persistentVolume() *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		TypeMeta: core("PersistentVolume"), ObjectMeta: meta("", "pvc-1"),
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{"storage": resource.MustParse("1536Gi")}, AccessModes: []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"}, PersistentVolumeReclaimPolicy: "Delete", StorageClassName: "gp3",
			ClaimRef:               &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "shop", Name: "data-cart-0", UID: UID("shop", "data-cart-0")},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: "vol-1", FSType: "ext4", VolumeAttributes: map[string]string{"storage.kubernetes.io/csiProvisionerIdentity": "1-8081"}}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
				{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "topology.kubernetes.io/zone", Operator: "In", Values: []string{"eu-west-1a"}}}}}}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: "Bound", LastPhaseTransitionTime: pointAt(time.Minute)},
	}
}

// resourceQuota has quantities in all notations.
func resourceQuota() *corev1.ResourceQuota {
	hard := corev1.ResourceList{}
	for name, quantity := range map[corev1.ResourceName]string{
		"requests.cpu": "1500m", "limits.cpu": "1e3", "requests.memory": "64Gi", "limits.memory": "128974848", "pods": "9223372036854775807",
		"count/widgets.shop.example.com": "0", "requests.storage": "12Pi", "example.com/tiny": "1n", "example.com/huge": "10E", "example.com/negative": "-5Mi", "example.com/fine": "0.000001",
	} {
		hard[name] = resource.MustParse(quantity)
	}
	return &corev1.ResourceQuota{
		TypeMeta: core("ResourceQuota"), ObjectMeta: meta("shop", "quota"),
		Spec: corev1.ResourceQuotaSpec{Hard: hard, ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: "PriorityClass", Operator: "In", Values: []string{"high"}}}}},
		Status: corev1.ResourceQuotaStatus{Hard: hard, Used: corev1.ResourceList{"pods": resource.MustParse("3")}},
	}
}

func limitRange() *corev1.LimitRange {
	return &corev1.LimitRange{TypeMeta: core("LimitRange"), ObjectMeta: meta("shop", "limits"), Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
		Type: "Container", Max: corev1.ResourceList{"cpu": resource.MustParse("4")}, DefaultRequest: corev1.ResourceList{"cpu": resource.MustParse("100m")},
		MaxLimitRequestRatio: corev1.ResourceList{"cpu": resource.MustParse("2.5")},
	}}}}
}

func replicationController() *corev1.ReplicationController {
	template := podTemplate("legacy")
	return &corev1.ReplicationController{
		TypeMeta: core("ReplicationController"), ObjectMeta: meta("shop", "legacy"),
		Spec:   corev1.ReplicationControllerSpec{Replicas: point[int32](0), Selector: map[string]string{"app": "legacy"}, Template: &template},
		Status: corev1.ReplicationControllerStatus{ObservedGeneration: 1},
	}
}
